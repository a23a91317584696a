// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the mesh is refined: the criteria of the input file, combined, and a buffer around what they mark.

#include <memory>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

template <int D>
class Refinement {
 public:
  using Criteria = std::vector<std::shared_ptr<const RefinementCriterion>>;

  // buffer: layers of leaves around those that are marked.
  Refinement(int min_level, int buffer, Criteria criteria)
      : min_level_(min_level), buffer_(buffer), criteria_(std::move(criteria)) {}

  // What becomes of each leaf of this rank, the same for any number of ranks. Collective. Reads interiors and
  // face halos of the view, which must be full. A leaf is refined if any criterion says so, or if it lies
  // within `buffer` leaves of one that does and is coarser; coarsened if all criteria agree.
  std::vector<mesh::Adapt> flags(const mesh::PatchMesh<D>& mesh, const StateView& state) const;

  bool is_static() const { return criteria_.empty(); }

 private:
  // The level a leaf should have.
  int wanted_level(const StateView& state, std::size_t leaf) const;

  int min_level_, buffer_;
  Criteria criteria_;
};

}  // namespace meander::simulation
