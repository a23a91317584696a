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

// The layers that a scheme with halos of this shape reads across edges (2D: corners).
int layers_across_edges(solvers::HaloShape shape, int h);

// Sets the box of `op` to what a scheme with halos of this shape reads of the halo region in a direction, in
// indices of the leaf.
template <int D>
void set_region(HaloOp<D>& op, solvers::HaloShape shape, const Index<D>& offset,
                const solvers::PatchLayout& layout);

// The halo regions that a scheme reads, in the order of their directions.
template <int D>
class HaloRegions {
 public:
  struct Region {
    int direction = 0;
    Index<D> offset{};
    HaloOp<D> copy;  // from a neighbour of the same level; without its source
  };
  HaloRegions(const solvers::PatchLayout& layout, solvers::HaloShape shape);

  std::span<const Region> all() const { return regions_; }
  int patch_size() const { return patch_size_; }

 private:
  int patch_size_;
  std::vector<Region> regions_;
};

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
void visit_reads(const LocalView<D>& view, std::int32_t leaf, const HaloRegions<D>& regions,
                 std::vector<FineSource<D>>& sources, const Visit& visit) {
  const auto& neighbours = view.neighbours();
  const auto cells = neighbours.cells();
  const Cell<D>& cell = cells[static_cast<std::size_t>(leaf)];
  for (const auto& region : regions.all()) {
    const Neighbour neighbour = neighbours.of(leaf, region.direction);
    if (neighbour.is_outside()) continue;
    HaloOp<D> op = region.copy;
    sources.clear();
    if (neighbour.is_refined()) {
      op.kind = HaloOp<D>::Kind::restrict_parts;
      touching_children<D>(view, neighbour.refined_cell(), region.offset, sources);
    } else {
      op.source = neighbour.leaf();
      if (cells[static_cast<std::size_t>(op.source)].level < cell.level) {
        op.kind = HaloOp<D>::Kind::prolong;
        for (int a = 0; a < D; ++a) {
          // Position of this leaf relative to the coarse neighbour, in leaves.
          const int relative = (cell.at[a] + region.offset[a] + 3) % 3 - region.offset[a];
          op.shift[a] = static_cast<std::int16_t>(relative * regions.patch_size());
        }
      }
    }
    visit(region.direction, op, sources);
  }
}

}  // namespace meander::mesh
