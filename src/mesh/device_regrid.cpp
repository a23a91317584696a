// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The state of new leaves on a device, by the kernel that fills halos. A parent shares its slot with a child:
// the first launch writes to memory of its own what the second one needs.
#include "mesh/device_patches.hpp"

namespace meander::mesh {
namespace {

using solvers::FillOp;

template <int D>
void set_cube(FillOp& op, int lower, int extent) {
  for (std::size_t a = 0; a < D; ++a) {
    op.lower[a] = static_cast<std::int16_t>(lower);
    op.extent[a] = static_cast<std::int16_t>(extent);
  }
}

}  // namespace

template <int D>
void DevicePatches<D>::plan_other_halos(HaloExchange<D>& exchange, const Mesh& mesh) {
  forget_other_halos();
  other_halos_ = std::make_unique<DeviceHalos<D>>(launches_, boundaries_, memory_, host_memory_);
  other_halos_->rebuild(exchange, mesh.view, mesh.patches, mesh.order,
                        [&](std::size_t leaf) { return slot(mesh.slots[leaf]); });
}

template <int D>
void DevicePatches<D>::forget_other_halos() {
  if (!other_halos_) return;
  launches_.device.synchronize(launches_.queue);
  other_halos_.reset();
}

template <int D>
void DevicePatches<D>::move(Moves moves, const char* name) {
  const gpu::Queue queue = launches_.queue;
  launches_.device.synchronize(queue);  // the tables of the launch before
  launches_.upload(moves_.targets, std::move(moves.targets));
  launches_.upload(moves_.ops, std::move(moves.ops));
  launches_.upload(moves_.parts, std::move(moves.parts));
  solvers::FillBatch batch;
  batch.count = static_cast<int>(moves_.targets.size());
  batch.targets = moves_.targets.data();
  batch.ops = moves_.ops.data();
  batch.parts = moves_.parts.data();
  batch.layout = layout_;
  batch.prolongation = solver_.traits().prolongation;
  launches_.launch(name, solvers::ResidentBatch(batch));
}

template <int D>
double* DevicePatches<D>::slots_beside(std::size_t leaves) {
  launches_.device.synchronize(launches_.queue);
  moved_.resize(launches_.queue, leaves * static_cast<std::size_t>(layout_.slot_size()));
  return moved_.data();
}

template <int D>
void DevicePatches<D>::coarsen(std::span<const Coarsened> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  double* const beside = slots_beside(leaves.size());
  Moves restricted, stored;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Coarsened& leaf = leaves[i];
    FillOp& op = restricted.add(beside + i * slot_size);
    op.kind = FillOp::Kind::restrict_parts;
    op.first_part = static_cast<std::int32_t>(restricted.parts.size());
    op.parts = static_cast<std::int16_t>(leaf.children.size());
    set_cube<D>(op, 0, layout_.p);
    for (std::size_t k = 0; k < leaf.children.size(); ++k) {
      solvers::FillPart& part = restricted.parts.emplace_back();
      part.from = slot(leaf.children[k]);
      for (std::size_t a = 0; a < D; ++a) part.child[a] = static_cast<std::int8_t>(leaf.child[k][a]);
    }
    FillOp& copy = stored.add(slot(leaf.slot));
    copy.source = beside + i * slot_size;
    set_cube<D>(copy, 0, layout_.p);
  }
  move(std::move(restricted), "restrict leaves");
  move(std::move(stored), "store leaves");
}

template <int D>
void DevicePatches<D>::refine(std::span<const Refined> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  double* const beside = slots_beside(leaves.size());
  Moves copied, prolonged;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    FillOp& copy = copied.add(beside + i * slot_size);
    copy.source = slot(leaves[i].parent);
    set_cube<D>(copy, -layout_.h, layout_.edge());  // point values are prolonged from the halo, too
    for (std::size_t k = 0; k < leaves[i].children.size(); ++k) {
      FillOp& op = prolonged.add(slot(leaves[i].children[k]));
      op.kind = FillOp::Kind::prolong;
      op.source = beside + i * slot_size;
      set_cube<D>(op, 0, layout_.p);
      for (std::size_t a = 0; a < D; ++a)
        op.shift[a] = static_cast<std::int16_t>(leaves[i].child[k][a] * layout_.p);
    }
  }
  move(std::move(copied), "copy parents");
  move(std::move(prolonged), "prolong leaves");
}

#define MEANDER_INSTANTIATE(D)                                                     \
  template void DevicePatches<D>::plan_other_halos(HaloExchange<D>&, const Mesh&); \
  template void DevicePatches<D>::forget_other_halos();                            \
  template void DevicePatches<D>::coarsen(std::span<const Coarsened>);             \
  template void DevicePatches<D>::refine(std::span<const Refined>);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
