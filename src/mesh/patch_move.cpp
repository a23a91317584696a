// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The state of new leaves at a regrid: means of the children of coarsened leaves, prolonged values of refined
// ones, in host memory or on a device.
#include <cstring>

#include "base/assert.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"

namespace meander::mesh {

template <int D>
void PatchMesh<D>::coarsen(std::span<const std::size_t> coarsened, std::span<const Origin> origin,
                           std::vector<int>& slots, ThreadTeam& team) {
  if (device_ && is_current_on_device_) return coarsen_on_device(coarsened, origin, slots);
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  team.for_chunks(coarsened.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t c = begin; c < end; ++c) {
      const Origin& from = origin[coarsened[c]];
      MEANDER_ASSERT(from.old_count == children<D>);
      solvers::FinePatch<D> parts[children<D>];
      for (int child = 0; child < children<D>; ++child) {
        const auto old = static_cast<std::size_t>(from.old_leaf + child);
        parts[child].fine = pool_[slots_[old]];
        parts[child].child = position_in_parent<D>(tree_.leaves()[old]);
      }
      solvers::Box<D> interior;
      interior.extent.fill(layout_.p);
      solvers::restrict_to<D>(layout_, parent.data(), {parts, children<D>}, {interior, {}});
      const int slot = slots_[static_cast<std::size_t>(from.old_leaf)];
      std::memcpy(pool_[slot], parent.data(), slot_size * sizeof(double));
      slots[coarsened[c]] = slot;
    }
  });
}

template <int D>
void PatchMesh<D>::coarsen_on_device(std::span<const std::size_t> coarsened, std::span<const Origin> origin,
                                     std::vector<int>& slots) {
  std::vector<typename DevicePatches<D>::Coarsened> leaves;
  for (const std::size_t leaf : coarsened) {
    const Origin& from = origin[leaf];
    auto& item = leaves.emplace_back();
    item.slot = slots[leaf] = slots_[static_cast<std::size_t>(from.old_leaf)];
    for (int child = 0; child < children<D>; ++child) {
      const auto old = static_cast<std::size_t>(from.old_leaf + child);
      item.children.push_back(slots_[old]);
      item.child.push_back(position_in_parent<D>(tree_.leaves()[old]));
    }
  }
  device_->coarsen(leaves);
}

template <int D>
void PatchMesh<D>::refine(std::span<const std::size_t> refined, const DistributedTree<D>& next,
                          std::span<const int> slots, ThreadTeam& team) {
  if (device_ && is_current_on_device_) return refine_on_device(refined, next, slots);
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  team.for_chunks(refined.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = refined[r];
      std::memcpy(parent.data(), pool_[slots[first]], slot_size * sizeof(double));
      for (std::size_t child = 0; child < children<D>; ++child) {
        solvers::Box<D> interior;
        interior.extent.fill(layout_.p);
        Index<D> offset = position_in_parent<D>(next.leaves()[first + child]);
        for (int& volumes : offset) volumes *= layout_.p;
        solvers::prolong<D>(solver_, layout_, pool_[slots[first + child]], parent.data(), interior, offset);
      }
    }
  });
}

template <int D>
void PatchMesh<D>::refine_on_device(std::span<const std::size_t> refined, const DistributedTree<D>& next,
                                    std::span<const int> slots) {
  std::vector<typename DevicePatches<D>::Refined> leaves;
  for (const std::size_t first : refined) {
    auto& item = leaves.emplace_back();
    item.parent = slots[first];
    for (std::size_t child = 0; child < children<D>; ++child) {
      item.children.push_back(slots[first + child]);
      item.child.push_back(position_in_parent<D>(next.leaves()[first + child]));
    }
  }
  device_->refine(leaves);
}

#define MEANDER_INSTANTIATE(D)                                                                \
  template void PatchMesh<D>::coarsen(std::span<const std::size_t>, std::span<const Origin>,  \
                                      std::vector<int>&, ThreadTeam&);                        \
  template void PatchMesh<D>::refine(std::span<const std::size_t>, const DistributedTree<D>&, \
                                     std::span<const int>, ThreadTeam&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
