// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halos that are less accurate than the state: those prolonged from a coarser leaf or set by a boundary
// condition. Copies, and restrictions from finer leaves, are as accurate as the state.

#include <cstdint>
#include <vector>

#include "mesh/patch_mesh.hpp"

namespace meander::simulation {

// A mask for each leaf of this rank: bit mesh::direction_of(offset) is set if the halo in that direction is
// inexact.
template <int D>
std::vector<std::uint32_t> inexact_halos(const mesh::PatchMesh<D>& mesh) {
  const auto& neighbours = mesh.view().neighbours();
  std::vector<std::uint32_t> inexact(mesh.size(), 0);
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    for (int direction = 0; direction < mesh::children<D>; ++direction) {
      const mesh::Neighbour next = neighbours.of(static_cast<std::int32_t>(leaf), direction);
      const bool coarser = next.is_leaf() && neighbours.cells()[static_cast<std::size_t>(next.leaf())].level <
                                                 mesh.levels()[leaf];
      if (coarser || next.is_outside()) inexact[leaf] |= std::uint32_t{1} << direction;
    }
  }
  return inexact;
}

}  // namespace meander::simulation
