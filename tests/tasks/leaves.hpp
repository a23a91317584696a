// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What tests of steps read from the leaves of a mesh of levels 1 to 3.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/patch_mesh.hpp"
#include "solvers/patch_copy.hpp"

namespace meander::tasks {

// Leaves of three levels, of which `coarsest` is the first, on all ranks. Collective.
template <int D>
std::vector<std::int64_t> leaves_by_level(const mesh::PatchMesh<D>& mesh, int coarsest = 1) {
  std::vector<std::int64_t> leaves(3, 0);
  for (const int level : mesh.levels()) ++leaves[static_cast<std::size_t>(level - coarsest)];
  mesh.communicator().sum(std::span<std::int64_t>(leaves));
  return leaves;
}

// The interiors of own leaves, without the other arrays that the slot of a leaf has.
template <int D>
std::vector<std::vector<double>> interiors_of(const mesh::PatchMesh<D>& mesh) {
  std::vector<std::vector<double>> interiors;
  const auto& layout = mesh.layout();
  for (const auto& patch : mesh.patches()) {
    solvers::Box<D> interior;
    interior.extent.fill(layout.p);
    interiors.emplace_back(interior.volumes() * static_cast<std::size_t>(layout.unknowns));
    solvers::pack<D>(layout, patch.q, interior, interiors.back().data());
  }
  return interiors;
}

}  // namespace meander::tasks
