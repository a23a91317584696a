// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halos that are less accurate than the state: those prolonged from a coarser leaf or set by a boundary
// condition. Copies, restrictions from finer leaves and mirror images of these are as accurate as the state.

#include <cstdint>

#include "mesh/patch_mesh.hpp"
#include "simulation/mirrors.hpp"

namespace meander::simulation {

// For a leaf of this rank: bit mesh::direction_of(offset) is set if the halo in that direction is inexact.
template <int D>
std::uint32_t inexact_halos(const mesh::PatchMesh<D>& mesh, const Mirrors& mirrors, std::size_t leaf) {
  const auto& neighbours = mesh.view().neighbours();
  const mesh::Domain<D>& domain = mesh.tree().domain();
  const mesh::Cell<D>& cell = neighbours.cells()[leaf];
  std::uint32_t inexact = 0;
  for (int direction = 0; direction < mesh::children<D>; ++direction) {
    // The halo beyond a plane of symmetry is the image of that along the other axes.
    Index<D> source = mesh::offset_of<D>(direction);
    for (int a = 0; a < D; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const int at = cell.at[axis] + source[axis];
      if ((at < 0 && mirrors.at_side(axis, 0)) ||
          (at >= domain.cells(cell.level, a) && mirrors.at_side(axis, 1)))
        source[axis] = 0;
    }
    const mesh::Neighbour next =
        neighbours.of(static_cast<std::int32_t>(leaf), mesh::direction_of<D>(source));
    const bool coarser = next.is_leaf() && neighbours.cells()[static_cast<std::size_t>(next.leaf())].level <
                                               mesh.levels()[leaf];
    if (coarser || next.is_outside()) inexact |= std::uint32_t{1} << direction;
  }
  return inexact;
}

}  // namespace meander::simulation
