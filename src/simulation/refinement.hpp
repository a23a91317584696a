// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refinement of the mesh: the combined criteria of the input file, and a buffer around the leaves that they
// refine.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

template <int D>
class Refinement {
 public:
  using Criteria = std::vector<std::shared_ptr<const RefinementCriterion>>;

  // buffer: layers of leaves around the refined ones.
  Refinement(int min_level, int buffer, Criteria criteria)
      : min_level_(min_level), buffer_(buffer), criteria_(std::move(criteria)) {}

  // The flag of each leaf of this rank, independent of the number of ranks. A leaf is refined if any
  // criterion requires it, or if it lies within `buffer` leaves of a refined leaf and is coarser; it is
  // coarsened if all criteria allow it. Reads interiors and face halos of the view, which must be full.
  // `later`: times and tracked points as expected until the next regrid. Criteria that do not read the
  // state flag a leaf for all times. Collective.
  std::vector<mesh::Adapt> flags(const mesh::PatchMesh<D>& mesh, const StateView& state,
                                 std::span<const StateView> later) const;

  bool is_static() const { return criteria_.empty(); }
  // Whether some criterion can require a level above the lowest one.
  bool can_refine() const {
    return std::ranges::any_of(criteria_, [this](const auto& of) { return of->finest_level() > min_level_; });
  }

 private:
  // The measures of all leaves by criterion, as far as devices can compute them; the others are empty.
  using Measures = std::vector<std::vector<double>>;
  Measures measure(const StateView& state) const;
  // The level a leaf should have.
  int wanted_level(const StateView& state, std::span<const StateView> later, const Measures& measures,
                   std::size_t leaf) const;

  int min_level_, buffer_;
  Criteria criteria_;
};

}  // namespace meander::simulation
