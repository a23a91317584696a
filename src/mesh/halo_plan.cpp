// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_plan.hpp"

#include <algorithm>

namespace meander::mesh {

template <int D>
solvers::Box<D> HaloOp<D>::box() const {
  solvers::Box<D> result;
  for (int a = 0; a < D; ++a) {
    result.lower[a] = lower[a];
    result.extent[a] = extent[a];
  }
  return result;
}

template <int D>
Index<D> HaloOp<D>::offset() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = shift[a];
  return result;
}

template <int D>
HaloOp<D> HaloOp<D>::reversed(std::int32_t leaf) const {
  HaloOp result = *this;
  for (int a = 0; a < D; ++a) {
    // The source's halo lies on the other side: as far outside there as this one's outside here.
    if (shift[a] > 0) result.lower[a] = static_cast<std::int16_t>(shift[a]);
    if (shift[a] < 0) result.lower[a] = static_cast<std::int16_t>(-extent[a]);
    result.shift[a] = static_cast<std::int16_t>(-shift[a]);
  }
  result.source = leaf;
  return result;
}

namespace {

template <int D>
int count_nonzero(const Index<D>& offset) {
  return static_cast<int>(std::count_if(offset.begin(), offset.end(), [](int o) { return o != 0; }));
}

template <int D>
bool reads(solvers::HaloShape shape, const Index<D>& offset) {
  const int axes = count_nonzero<D>(offset);
  if (axes == 0) return false;
  if (shape == solvers::HaloShape::faces) return axes == 1;
  if (shape == solvers::HaloShape::edges) return axes <= 2;
  return true;
}

// The halo region in a direction, in the leaf's own indices.
template <int D>
void set_region(HaloOp<D>& op, const Index<D>& offset, int p, int h) {
  for (int a = 0; a < D; ++a) {
    op.lower[a] = static_cast<std::int16_t>(offset[a] < 0 ? -h : offset[a] > 0 ? p : 0);
    op.extent[a] = static_cast<std::int16_t>(offset[a] == 0 ? p : h);
  }
}

// The children of a refined neighbour that touch a leaf from direction `offset` (as seen from the leaf), with
// their positions, along the curve.
template <int D>
void touching_children(const Neighbours<D>& neighbours, std::int32_t cell, const Index<D>& offset,
                       std::vector<FineSource<D>>& found) {
  found.clear();
  const auto child = neighbours.refined_children(cell);
  for (int position = 0; position < children<D>; ++position) {
    FineSource<D> source;
    bool touches = true;
    for (int a = 0, rest = position; a < D; ++a, rest /= 3) {
      source.child[a] = static_cast<std::int8_t>(rest % 3);
      if (offset[a] > 0) touches = touches && source.child[a] == 0;
      if (offset[a] < 0) touches = touches && source.child[a] == 2;
    }
    if (!touches) continue;
    source.leaf = child[static_cast<std::size_t>(position)];
    found.push_back(source);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.leaf < b.leaf; });
}

// Whether a leaf has finer neighbours across a face, so that its state changes once more after its update.
template <int D>
bool is_corrected(const Neighbours<D>& neighbours, std::size_t leaf) {
  for (int face = 0; face < 2 * D; ++face) {
    Index<D> offset{};
    offset[face / 2] = 2 * (face % 2) - 1;
    if (neighbours.of(static_cast<std::int32_t>(leaf), direction_of<D>(offset)).is_refined()) return true;
  }
  return false;
}

}  // namespace

template <int D>
HaloPlan<D>::HaloPlan(const Spacetree<D>& tree, const Neighbours<D>& neighbours,
                      const solvers::PatchLayout& layout, solvers::HaloShape shape) {
  const int p = layout.p, h = layout.h;
  const auto cells = neighbours.cells();
  const auto& domain = tree.domain();
  std::vector<FineSource<D>> touching;
  std::vector<HaloOp<D>> late;
  std::vector<char> corrected(tree.size());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) corrected[leaf] = is_corrected<D>(neighbours, leaf);
  begin_.reserve(2 * tree.size() + 1);
  begin_.push_back(0);
  ops_.reserve(tree.size() * 2 * D);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const Cell<D>& cell = cells[leaf];
    late.clear();
    for (int direction = 0; direction < children<D>; ++direction) {
      const Index<D> offset = offset_of<D>(direction);
      if (!reads<D>(shape, offset)) continue;
      const Neighbour neighbour = neighbours.of(static_cast<std::int32_t>(leaf), direction);
      if (neighbour.is_outside()) continue;
      HaloOp<D> op;
      set_region<D>(op, offset, p, h);
      if (neighbour.is_refined()) {
        op.kind = HaloOp<D>::Kind::restrict_parts;
        touching_children<D>(neighbours, neighbour.refined_cell(), offset, touching);
        op.source = static_cast<std::int32_t>(parts_.size());
        op.parts = static_cast<std::int16_t>(touching.size());
        parts_.insert(parts_.end(), touching.begin(), touching.end());
        for (int a = 0; a < D; ++a) op.shift[a] = static_cast<std::int16_t>(-offset[a] * p);
      } else {
        op.source = neighbour.leaf();
        const bool coarser = cells[static_cast<std::size_t>(op.source)].level < cell.level;
        op.kind = coarser ? HaloOp<D>::Kind::prolong : HaloOp<D>::Kind::copy;
        for (int a = 0; a < D; ++a) {
          // Position of this leaf relative to the coarse cell that holds its neighbour, in leaves.
          const int seat = (cell.at[a] + offset[a] + 3) % 3 - offset[a];
          op.shift[a] = static_cast<std::int16_t>(coarser ? seat * p : -offset[a] * p);
        }
      }
      const bool early = op.kind == HaloOp<D>::Kind::copy && !corrected[leaf] &&
                         !corrected[static_cast<std::size_t>(op.source)];
      (early ? ops_ : late).push_back(op);
    }
    begin_.push_back(ops_.size());
    for (int a = 0; a < D; ++a) {
      if (domain.periodic[a]) continue;
      for (int side = 0; side < 2; ++side) {
        if (cell.at[a] != (side == 0 ? 0 : domain.cells(cell.level, a) - 1)) continue;
        HaloOp<D> op;
        op.kind = HaloOp<D>::Kind::boundary;
        op.face = static_cast<std::uint8_t>(2 * a + side);
        Index<D> offset{};
        offset[a] = 2 * side - 1;
        set_region<D>(op, offset, p, h);
        if (shape != solvers::HaloShape::faces) {
          // Across edges too: continue what the halos beside this side already hold.
          for (int b = 0; b < D; ++b) {
            if (b == a) continue;
            op.lower[b] = static_cast<std::int16_t>(-h);
            op.extent[b] = static_cast<std::int16_t>(p + 2 * h);
          }
        }
        late.push_back(op);
      }
    }
    ops_.insert(ops_.end(), late.begin(), late.end());
    begin_.push_back(ops_.size());
  }
  list_parts_by_leaf(tree.size(), layout);
}

template <int D>
void HaloPlan<D>::list_parts_by_leaf(std::size_t leaves, const solvers::PatchLayout& layout) {
  job_begin_.assign(leaves + 1, 0);
  for (const FineSource<D>& part : parts_) ++job_begin_[static_cast<std::size_t>(part.leaf) + 1];
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) job_begin_[leaf + 1] += job_begin_[leaf];
  jobs_.resize(parts_.size());
  std::vector<std::size_t> next(job_begin_.begin(), job_begin_.end() - 1);
  for (std::size_t o = 0; o < ops_.size(); ++o) {
    const HaloOp<D>& op = ops_[o];
    if (op.kind != HaloOp<D>::Kind::restrict_parts) continue;
    for (std::int32_t k = op.source; k < op.source + op.parts; ++k) {
      FineSource<D>& part = parts_[static_cast<std::size_t>(k)];
      part.offset = part_doubles_;
      part_doubles_ += solvers::part_size<D>(layout, part.position(), op.restriction());
      jobs_[next[static_cast<std::size_t>(part.leaf)]++] = {static_cast<std::int32_t>(o), k};
    }
  }
}

template <int D>
Index<D> FineSource<D>::position() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = child[a];
  return result;
}

template struct FineSource<2>;
template struct FineSource<3>;
template struct HaloOp<2>;
template struct HaloOp<3>;
template class HaloPlan<2>;
template class HaloPlan<3>;

}  // namespace meander::mesh
