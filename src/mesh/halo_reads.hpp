// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Enumeration of the reads of one leaf's halo from other leaves, by direction. A rank enumerates its own
// leaves, and then its ghosts to find out what these read of its own leaves.

#include <vector>

#include "mesh/halo_plan.hpp"

namespace meander::mesh {

// Whether a scheme with halos of this shape reads the halo region in a direction.
template <int D>
bool reads(solvers::HaloShape shape, const Index<D>& offset);

// Sets the box of `op` to the halo region in a direction, in indices of the leaf.
template <int D>
void set_region(HaloOp<D>& op, const Index<D>& offset, int p, int h);

// Whether a child of the refined cell in direction `offset` touches the leaf from which the direction counts.
template <int D>
bool touches(const Vec<std::int8_t, D>& child, const Index<D>& offset) {
  for (int a = 0; a < D; ++a) {
    if ((offset[a] > 0 && child[a] != 0) || (offset[a] < 0 && child[a] != 2)) return false;
  }
  return true;
}

// Finds the known leaves among the children of a refined cell of the view that touch the leaf from which the
// direction `offset` counts, in curve order.
template <int D>
void touching_children(const LocalView<D>& view, std::int32_t cell, const Index<D>& offset,
                       std::vector<FineSource<D>>& found);

// Calls visit(direction, op, sources) for each direction in which the leaf has a neighbour. `op` is a copy or
// a prolong (op.source is the leaf read) or a restrict_parts (`sources` are the leaves read; op.source and
// op.parts are not set). For ghosts, only reads of own leaves are reliable.
template <int D, class Visit>
void visit_reads(const LocalView<D>& view, std::int32_t leaf, const solvers::PatchLayout& layout,
                 solvers::HaloShape shape, std::vector<FineSource<D>>& sources, const Visit& visit) {
  const auto& neighbours = view.neighbours();
  const auto cells = neighbours.cells();
  const Cell<D>& cell = cells[static_cast<std::size_t>(leaf)];
  const int p = layout.p;
  for (int direction = 0; direction < children<D>; ++direction) {
    const Index<D> offset = offset_of<D>(direction);
    if (!reads<D>(shape, offset)) continue;
    const Neighbour neighbour = neighbours.of(leaf, direction);
    if (neighbour.is_outside()) continue;
    HaloOp<D> op;
    set_region<D>(op, offset, p, layout.h);
    sources.clear();
    if (neighbour.is_refined()) {
      op.kind = HaloOp<D>::Kind::restrict_parts;
      touching_children<D>(view, neighbour.refined_cell(), offset, sources);
      for (int a = 0; a < D; ++a) op.shift[a] = static_cast<std::int16_t>(-offset[a] * p);
    } else {
      op.source = neighbour.leaf();
      const bool coarser = cells[static_cast<std::size_t>(op.source)].level < cell.level;
      op.kind = coarser ? HaloOp<D>::Kind::prolong : HaloOp<D>::Kind::copy;
      for (int a = 0; a < D; ++a) {
        // Position of this leaf relative to the coarse neighbour, in leaves.
        const int relative = (cell.at[a] + offset[a] + 3) % 3 - offset[a];
        op.shift[a] = static_cast<std::int16_t>(coarser ? relative * p : -offset[a] * p);
      }
    }
    visit(direction, op, sources);
  }
}

}  // namespace meander::mesh
