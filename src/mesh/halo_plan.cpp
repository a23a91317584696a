// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_plan.hpp"

#include "mesh/halo_plan_builder.hpp"

namespace meander::mesh {

template <int D>
void HaloOp<D>::set_box(const solvers::Box<D>& box, const Index<D>& by) {
  for (std::size_t a = 0; a < D; ++a) {
    lower[a] = static_cast<std::int16_t>(box.lower[a]);
    extent[a] = static_cast<std::int16_t>(box.extent[a]);
    shift[a] = static_cast<std::int16_t>(by[a]);
  }
}

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
Index<D> HaloOp<D>::shifts() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = shift[a];
  return result;
}

template <int D>
HaloOp<D> HaloOp<D>::reversed(std::int32_t leaf) const {
  HaloOp result = *this;
  for (int a = 0; a < D; ++a) {
    // The halo of the source is on its opposite side, at the same distance from the common face.
    if (shift[a] > 0) result.lower[a] = static_cast<std::int16_t>(shift[a]);
    if (shift[a] < 0) result.lower[a] = static_cast<std::int16_t>(-extent[a]);
    result.shift[a] = static_cast<std::int16_t>(-shift[a]);
  }
  result.source = leaf;
  return result;
}

template <int D>
Index<D> FineSource<D>::position() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = child[a];
  return result;
}

template <int D>
HaloPlan<D>::HaloPlan(const DistributedTree<D>& tree, const LocalView<D>& view,
                      const solvers::PatchLayout& layout, const HaloNeeds& needs, const ThreadTeam& team,
                      HaloPlan&& earlier)
    : ops_(std::move(earlier.ops_)) {
  ops_.clear();
  Builder(*this, tree, view, layout, needs).build(team);
}

template <int D>
std::size_t HaloPlan<D>::bytes() const {
  const auto sum = [](const auto&... vectors) {
    return ((vectors.size() * sizeof(*vectors.data())) + ... + 0);
  };
  return sum(ops_, parts_, jobs_, job_begin_, begin_, ghost_begin_, second_, peers_, ghost_patches_, border_,
             arrival_, outgoing_volumes_.items, outgoing_volumes_.begin, outgoing_parts_.items,
             outgoing_parts_.begin);
}

#define MEANDER_INSTANTIATE(D)                                                                     \
  template struct FineSource<D>;                                                                   \
  template struct HaloOp<D>;                                                                       \
  template HaloPlan<D>::HaloPlan(const DistributedTree<D>&, const LocalView<D>&,                   \
                                 const solvers::PatchLayout&, const HaloNeeds&, const ThreadTeam&, \
                                 HaloPlan&&);                                                      \
  template std::size_t HaloPlan<D>::bytes() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
