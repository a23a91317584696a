// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_reads.hpp"

#include <algorithm>

namespace meander::mesh {

template <int D>
bool reads(solvers::HaloShape shape, const Index<D>& offset) {
  const auto axes = std::count_if(offset.begin(), offset.end(), [](int o) { return o != 0; });
  if (axes == 0) return false;
  if (shape == solvers::HaloShape::faces) return axes == 1;
  if (shape == solvers::HaloShape::edges) return axes <= 2;
  return true;
}

int layers_across_edges(solvers::HaloShape shape, int h) {
  if (shape == solvers::HaloShape::faces) return 0;
  return shape == solvers::HaloShape::edges ? 1 : h;
}

template <int D>
void set_region(HaloOp<D>& op, solvers::HaloShape shape, const Index<D>& offset,
                const solvers::PatchLayout& layout) {
  const bool is_face = std::ranges::count(offset, 0) == D - 1;
  const int layers = is_face ? layout.h : layers_across_edges(shape, layout.h);
  for (std::size_t a = 0; a < D; ++a) {
    op.lower[a] = static_cast<std::int16_t>(offset[a] < 0 ? -layers : offset[a] > 0 ? layout.p : 0);
    op.extent[a] = static_cast<std::int16_t>(offset[a] == 0 ? layout.p : layers);
  }
}

template <int D>
HaloRegions<D>::HaloRegions(const solvers::PatchLayout& layout, solvers::HaloShape shape)
    : patch_size_(layout.p) {
  for (int direction = 0; direction < children<D>; ++direction) {
    const Index<D> offset = offset_of<D>(direction);
    if (!reads<D>(shape, offset)) continue;
    Region& region = regions_.emplace_back(Region{direction, offset, {}});
    set_region<D>(region.copy, shape, offset, layout);
    for (std::size_t a = 0; a < D; ++a)
      region.copy.shift[a] = static_cast<std::int16_t>(-offset[a] * layout.p);
  }
}

template <int D>
void touching_children(const LocalView<D>& view, std::int32_t cell, const Index<D>& offset,
                       std::vector<FineSource<D>>& found) {
  found.clear();
  const auto child = view.neighbours().refined_children(cell);
  for (int position = 0; position < children<D>; ++position) {
    FineSource<D> source;
    for (int a = 0, rest = position; a < D; ++a, rest /= 3)
      source.child[a] = static_cast<std::int8_t>(rest % 3);
    source.leaf = child[static_cast<std::size_t>(position)];
    if (source.leaf < 0 || view.rank(source.leaf) < 0 || !touches<D>(source.child, offset)) continue;
    found.push_back(source);
  }
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return view.position(a.leaf) < view.position(b.leaf); });
}

#define MEANDER_INSTANTIATE(D)                                                                               \
  template class HaloRegions<D>;                                                                             \
  template bool reads<D>(solvers::HaloShape, const Index<D>&);                                               \
  template void set_region<D>(HaloOp<D>&, solvers::HaloShape, const Index<D>&, const solvers::PatchLayout&); \
  template void touching_children<D>(const LocalView<D>&, std::int32_t, const Index<D>&,                     \
                                     std::vector<FineSource<D>>&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
