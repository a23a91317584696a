// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the mesh is refined: the criteria of the input file, combined, and a buffer around what they mark.

#include <array>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/config.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

template <int D>
class Refinement {
 public:
  // Names in `criteria` exist among solver.derived() (load_config checks that). The solver outlives this.
  Refinement(const MeshConfig& mesh, const std::vector<RefinementConfig>& criteria,
             const solvers::Solver& solver);

  // One entry a leaf of this rank, the same for any number of ranks. Collective. Reads interiors and face
  // halos, which must be full. A leaf is refined if any criterion says so, or if it lies within `buffer`
  // leaves of one that does and is coarser; coarsened if all criteria agree.
  std::vector<mesh::Adapt> wishes(const mesh::PatchMesh<D>& mesh, double t,
                                  std::span<const std::array<double, 3>> punctures, ThreadTeam& team) const;

  bool is_static() const { return criteria_.empty(); }

 private:
  struct Criterion {
    RefinementConfig config;  // punctures: its radius is that of this criterion's level
    int level = 0;            // refines up to here
    int quantity = -1;        // index into solver.derived()
  };
  enum class Verdict { coarsen, keep, refine };
  // When, and around what, criteria are judged.
  struct Moment {
    double t = 0;
    std::span<const std::array<double, 3>> punctures;
  };
  Verdict judge(const Criterion& criterion, const mesh::PatchMesh<D>& mesh, std::size_t leaf,
                const Moment& now) const;
  // The level a leaf should have.
  int wanted_level(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Moment& now) const;

  MeshConfig mesh_config_;
  std::vector<Criterion> criteria_;
  const solvers::Solver& solver_;
};

}  // namespace meander::simulation
