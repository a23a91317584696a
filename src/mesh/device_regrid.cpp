// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The state of new leaves on a device, by the kernel that fills halos. A parent shares its slot with a child:
// the first launch writes to memory of its own what the second one needs.
#include "mesh/device_patches.hpp"

namespace meander::mesh {
namespace {

using solvers::FillOp;

template <int D>
void set_box(FillOp& op, int lower, int extent) {
  for (std::size_t a = 0; a < D; ++a) {
    op.lower[a] = static_cast<std::int16_t>(lower);
    op.extent[a] = static_cast<std::int16_t>(extent);
  }
}

}  // namespace

template <int D>
DeviceHalos<D>& DevicePatches<D>::other_halos(const HaloPlan<D>& plan,
                                              const parallel::NeighbourMessages& messages, const Mesh& mesh) {
  launches_.device.synchronize(launches_.queue);
  other_halos_ = std::make_unique<DeviceHalos<D>>(launches_, boundaries_, memory_, host_memory_);
  other_halos_->rebuild(
      plan, mesh.view, mesh.patches, mesh.order, [&](std::size_t leaf) { return slot(mesh.slots[leaf]); },
      messages);
  return *other_halos_;
}

template <int D>
void DevicePatches<D>::move(std::vector<solvers::FillTarget> targets, std::vector<FillOp> ops,
                            std::vector<solvers::FillPart> parts, const char* name) {
  const gpu::Queue queue = launches_.queue;
  launches_.device.synchronize(queue);  // the tables of the launch before
  launches_.upload(moves_.targets, std::move(targets));
  launches_.upload(moves_.ops, std::move(ops));
  launches_.upload(moves_.parts, std::move(parts));
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
void DevicePatches<D>::coarsen(std::span<const Coarsened> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  launches_.device.synchronize(launches_.queue);
  moved_.resize(launches_.queue, leaves.size() * slot_size);
  std::vector<solvers::FillTarget> targets;
  std::vector<FillOp> ops;
  std::vector<solvers::FillPart> parts;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    FillOp& op = ops.emplace_back();
    op.kind = FillOp::Kind::restrict_parts;
    op.first_part = static_cast<std::int32_t>(parts.size());
    op.parts = static_cast<std::int16_t>(leaves[i].children.size());
    set_box<D>(op, 0, layout_.p);
    for (std::size_t k = 0; k < leaves[i].children.size(); ++k) {
      solvers::FillPart& part = parts.emplace_back();
      part.from = slot(leaves[i].children[k]);
      for (std::size_t a = 0; a < D; ++a) part.child[a] = static_cast<std::int8_t>(leaves[i].child[k][a]);
    }
    const auto n = static_cast<std::int32_t>(i);
    targets.push_back({moved_.data() + i * slot_size, n, n + 1});
  }
  move(std::move(targets), std::move(ops), std::move(parts), "restrict leaves");
  targets.clear();
  ops.clear();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    FillOp& op = ops.emplace_back();
    op.source = moved_.data() + i * slot_size;
    set_box<D>(op, 0, layout_.p);
    const auto n = static_cast<std::int32_t>(i);
    targets.push_back({slot(leaves[i].slot), n, n + 1});
  }
  move(std::move(targets), std::move(ops), {}, "store leaves");
}

template <int D>
void DevicePatches<D>::refine(std::span<const Refined> leaves) {
  if (leaves.empty()) return;
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  launches_.device.synchronize(launches_.queue);
  moved_.resize(launches_.queue, leaves.size() * slot_size);
  std::vector<solvers::FillTarget> targets;
  std::vector<FillOp> ops;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    FillOp& op = ops.emplace_back();
    op.source = slot(leaves[i].parent);
    set_box<D>(op, -layout_.h, layout_.edge());  // point values are prolonged from the halo, too
    const auto n = static_cast<std::int32_t>(i);
    targets.push_back({moved_.data() + i * slot_size, n, n + 1});
  }
  move(std::move(targets), std::move(ops), {}, "copy parents");
  targets.clear();
  ops.clear();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t k = 0; k < leaves[i].children.size(); ++k) {
      const auto n = static_cast<std::int32_t>(ops.size());
      FillOp& op = ops.emplace_back();
      op.kind = FillOp::Kind::prolong;
      op.source = moved_.data() + i * slot_size;
      set_box<D>(op, 0, layout_.p);
      for (std::size_t a = 0; a < D; ++a)
        op.shift[a] = static_cast<std::int16_t>(leaves[i].child[k][a] * layout_.p);
      targets.push_back({slot(leaves[i].children[k]), n, n + 1});
    }
  }
  move(std::move(targets), std::move(ops), {}, "prolong leaves");
}

#define MEANDER_INSTANTIATE(D)                                                                             \
  template DeviceHalos<D>& DevicePatches<D>::other_halos(const HaloPlan<D>&,                               \
                                                         const parallel::NeighbourMessages&, const Mesh&); \
  template void DevicePatches<D>::coarsen(std::span<const Coarsened>);                                     \
  template void DevicePatches<D>::refine(std::span<const Refined>);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
