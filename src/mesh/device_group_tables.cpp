// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The tables of local time steps of several stages on a device.
#include <algorithm>
#include <cstdint>

#include "base/assert.hpp"
#include "base/timer.hpp"
#include "mesh/device_groups.hpp"

namespace meander::mesh {
namespace {

using solvers::DenseOp;
using solvers::LevelItem;

template <int D, class Item>
void set_box(Item& item, const solvers::Box<D>& box) {
  for (std::size_t a = 0; a < D; ++a) {
    item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
    item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
  }
}

}  // namespace

template <int D>
DeviceGroups<D>::DeviceGroups(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries,
                              gpu::Resource& memory, std::pmr::memory_resource& host_memory,
                              LocalSteps<D>& steps, const Mesh& mesh)
    : patches_(patches),
      launches_(patches.launches()),
      boundaries_(boundaries),
      memory_(memory),
      host_memory_(host_memory),
      steps_(steps),
      table_(launches_.device, memory),
      leaf_(launches_.device, memory),
      status_(launches_.device, memory),
      status_sums_(launches_.device, memory),
      next_(launches_.device, memory),
      kept_(launches_.device, memory),
      combined_(launches_.device, memory) {
  const Timer timer(launches_.counts.moved, "tables of local steps");
  order_by_level(mesh);
  cuts_.emplace(launches_, memory, steps,
                [this](std::size_t leaf) { return patch_of(static_cast<std::int32_t>(leaf)).slot; });
  allocate(mesh.order.size());
}

template <int D>
void DeviceGroups<D>::order_by_level(const Mesh& mesh) {
  order_ =
      LevelOrder(mesh.view.neighbours().cells().first(mesh.order.size()), steps_.coarsest(), steps_.finest());
  std::vector<solvers::DevicePatch> table;
  for (const std::int32_t leaf : order_.leaf_of())
    table.push_back(
        patches_.table()[static_cast<std::size_t>(mesh.order_index[static_cast<std::size_t>(leaf)])]);
  launches_.upload(leaf_, std::vector(order_.leaf_of()));
  launches_.upload(table_, std::move(table));
}

template <int D>
void DeviceGroups<D>::allocate(std::size_t leaves) {
  const gpu::Queue queue = launches_.queue;
  const solvers::PatchLayout& layout = launches_.layout;
  std::size_t rates = 0, most_sources = 0;
  for (int level = steps_.coarsest(); level < steps_.finest(); ++level) {
    const CoarseInTime<D>& coarse = steps_.coarse(level);
    first_rate_.push_back(rates);
    rates += coarse.kept();
    most_sources = std::max(most_sources, coarse.sources().size());
  }
  is_counted_.resize(order_.levels());
  status_.resize(queue, leaves + cuts_->most_shadows());
  status_sums_.resize(queue, leaves);
  kept_.resize(queue, rates);
  combined_.resize(queue, most_sources * static_cast<std::size_t>(layout.slot_size()));
  if (launches_.solver.stages_new_interior())
    next_.resize(queue, cuts_->most_shadows() * static_cast<std::size_t>(layout.volumes() * layout.unknowns));
}

template <int D>
double* DeviceGroups<D>::combined(std::size_t source) const {
  return combined_.data() + source * static_cast<std::size_t>(launches_.layout.slot_size());
}

template <int D>
double* DeviceGroups<D>::rates_of(int level, const typename CoarseInTime<D>::Source& source) const {
  return kept_.data() + first_rate_[index(level)] + source.kept;
}

template <int D>
void DeviceGroups<D>::add(int first, int last) {
  const Timer timer(launches_.counts.moved, "tables of local steps");
  auto group = std::make_unique<Group>(launches_, boundaries_, memory_, host_memory_);
  add_patches(*group, first, last);
  add_items(*group, last);
  add_halos(*group, first, last);
  groups_[{first, last}] = std::move(group);
}

template <int D>
void DeviceGroups<D>::add_patches(Group& group, int first, int last) {
  LevelExchange<D>& plan = steps_.exchange(first, last);
  const solvers::PatchLayout& layout = launches_.layout;
  const auto interior = static_cast<std::size_t>(layout.volumes() * layout.unknowns);
  const std::size_t begin = order_.first(index(first)), end = order_.first(index(last) + 1);
  const auto leaves = table_.host().subspan(begin, end - begin);
  std::vector<solvers::DevicePatch> patches(leaves.begin(), leaves.end());
  group.leaves = patches.size();
  bool radiates = false;
  for (const auto& member : plan.members()) {
    if (member.leaf_of_mesh >= 0) continue;
    double* const next =
        next_.size() == 0 ? nullptr : next_.data() + (patches.size() - group.leaves) * interior;
    patches.push_back(patches_.entry(
        plan.patch(member), cuts_->slot(last, static_cast<std::size_t>(member.patch)), next, member.level));
    radiates = radiates || patches.back().radiative != 0;
  }
  patches_.expect(patches.size(), radiates);
  launches_.upload(group.patches, std::move(patches));
}

template <int D>
void DeviceGroups<D>::add_items(Group& group, int last) {
  std::vector<LevelItem> items;
  for (int stage = 0; stage < 2 && last < steps_.finest(); ++stage) {
    group.keeps[stage].begin = static_cast<std::int32_t>(items.size());
    for (const auto& source : steps_.coarse(last).sources()) {
      LevelItem& item = items.emplace_back();
      item.kind = LevelItem::Kind::keep_rates;
      set_box<D>(item, source.box);
      item.from = patch_of(source.leaf).stages + launches_.layout.stage_block_size();
      const std::size_t size = source.box.volumes() * static_cast<std::size_t>(launches_.layout.unknowns);
      item.values = rates_of(last, source) + static_cast<std::size_t>(stage) * size;
    }
    group.keeps[stage].count = static_cast<std::int32_t>(items.size()) - group.keeps[stage].begin;
  }
  group.status.begin = static_cast<std::int32_t>(items.size());
  for (std::size_t leaf = 0; leaf < group.leaves; leaf += patches_of_an_item) {
    LevelItem& item = items.emplace_back();
    item.kind = LevelItem::Kind::add_status;
    item.first = static_cast<std::int32_t>(leaf);
    item.patches = static_cast<std::int32_t>(std::min(patches_of_an_item, group.leaves - leaf));
  }
  group.status.count = static_cast<std::int32_t>(items.size()) - group.status.begin;
  launches_.upload(group.items, std::move(items));
}

// Of a group. Sources count as in CoarseInTime::sources(), targets in the order of `order`.
template <int D>
struct DeviceGroups<D>::Dense {
  std::vector<std::int32_t>
      order;  // their leaves of the group's tree; first those whose halos need no messages
  std::vector<std::size_t> source;   // of each
  std::vector<std::int32_t> number;  // by leaf of the tree: in order, or -1
  std::int32_t shared = 0;
  std::vector<solvers::FillTarget> targets;
  std::vector<DenseOp> ops;
  std::vector<solvers::DenseSource> sources;
};

template <int D>
auto DeviceGroups<D>::dense_of(int first, int last) const -> Dense {
  const TreePatches<D> tree = steps_.tree(last);
  const HaloPlan<D>& plan = steps_.exchange(first, last).exchange().plan();
  Dense dense;
  dense.number.assign(tree.leaf_of_mesh.size(), -1);
  if (first == steps_.coarsest()) return dense;
  const CoarseInTime<D>& coarse = steps_.coarse(first - 1);
  for (const auto& source : coarse.sources()) {
    const solvers::DevicePatch patch = patch_of(source.leaf);
    auto& entry = dense.sources.emplace_back();
    entry.slot = patch.slot;
    entry.stages = patch.stages;
    entry.kept = rates_of(first - 1, source);
    set_box<D>(entry, source.box);
  }
  for (const Arrival arrival : {Arrival::local, Arrival::received}) {
    for (std::size_t leaf = 0; leaf < tree.leaf_of_mesh.size(); ++leaf) {
      const std::int32_t of_mesh = tree.leaf_of_mesh[leaf];
      if (of_mesh < 0 || tree.level(leaf) != first - 1 || plan.arrival(leaf) != arrival) continue;
      const auto* const source = coarse.find(of_mesh);
      if (source == nullptr) continue;
      dense.number[leaf] = static_cast<std::int32_t>(dense.order.size());
      dense.order.push_back(static_cast<std::int32_t>(leaf));
      dense.source.push_back(static_cast<std::size_t>(source - coarse.sources().data()));
    }
    if (arrival == Arrival::local) dense.shared = static_cast<std::int32_t>(dense.order.size());
  }
  return dense;
}

template <int D>
void DeviceGroups<D>::edit(Dense& dense, FillTables<D>& tables) const {
  const auto slot_size = static_cast<std::size_t>(launches_.layout.slot_size());
  for (std::size_t n = 0; n < dense.order.size(); ++n) {
    const auto begin = static_cast<std::int32_t>(dense.ops.size());
    const auto& own = dense.sources[dense.source[n]];
    DenseOp& interior = dense.ops.emplace_back();
    interior.source = static_cast<std::int32_t>(dense.source[n]);
    std::ranges::copy(own.lower, interior.lower);
    std::ranges::copy(own.extent, interior.extent);
    if (n < static_cast<std::size_t>(dense.shared)) {
      const solvers::FillTarget& target = tables.targets[n];
      MEANDER_ASSERT(target.slot == combined(dense.source[n]));
      for (std::int32_t o = target.begin; o < target.end; ++o) {
        solvers::FillOp& op = tables.ops[static_cast<std::size_t>(o)];
        const bool is_combined = op.kind == solvers::FillOp::Kind::copy && op.source >= combined_.data() &&
                                 op.source < combined_.data() + combined_.size();
        if (!is_combined) continue;
        DenseOp& copy = dense.ops.emplace_back();
        copy.source =
            static_cast<std::int32_t>(static_cast<std::size_t>(op.source - combined_.data()) / slot_size);
        std::ranges::copy(op.lower, copy.lower);
        std::ranges::copy(op.extent, copy.extent);
        std::ranges::copy(op.shift, copy.shift);
        for (std::size_t a = 0; a < D; ++a) {
          [[maybe_unused]] const auto& from = dense.sources[static_cast<std::size_t>(copy.source)];
          MEANDER_ASSERT(copy.lower[a] + copy.shift[a] >= from.lower[a] &&
                         copy.lower[a] + copy.extent[a] + copy.shift[a] <= from.lower[a] + from.extent[a]);
          op.extent[a] = 0;  // nothing left to fill
        }
      }
    }
    dense.targets.push_back({combined(dense.source[n]), begin, static_cast<std::int32_t>(dense.ops.size())});
  }
}

template <int D>
void DeviceGroups<D>::add_halos(Group& group, int first, int last) {
  const TreePatches<D> tree = steps_.tree(last);
  HaloExchange<D>& exchange = steps_.exchange(first, last).exchange();
  const HaloPlan<D>& plan = exchange.plan();
  Dense dense = dense_of(first, last);
  std::vector<std::int32_t> order = dense.order;
  for (std::size_t leaf = 0; leaf < tree.leaf_of_mesh.size(); ++leaf) {
    const bool is_filled = !plan.early(leaf).empty() || !plan.late(leaf).empty();
    if (is_filled && dense.number[leaf] < 0) order.push_back(static_cast<std::int32_t>(leaf));
  }
  const auto slot = [&](std::size_t leaf) {
    const std::int32_t number = dense.number[leaf];
    return number < 0 ? cuts_->slot(last, leaf) : combined(dense.source[static_cast<std::size_t>(number)]);
  };
  group.halos.rebuild(exchange, *tree.view, tree.patches, order, slot,
                      [&](FillTables<D>& tables) { edit(dense, tables); });
  group.shared = dense.shared;
  launches_.upload(group.dense, std::move(dense.targets));
  launches_.upload(group.dense_ops, std::move(dense.ops));
  launches_.upload(group.sources, std::move(dense.sources));
}

#define MEANDER_INSTANTIATE(D)                                                                      \
  template DeviceGroups<D>::DeviceGroups(DevicePatches<D>&, const BoundaryFill<D>&, gpu::Resource&, \
                                         std::pmr::memory_resource&, LocalSteps<D>&,                \
                                         const DeviceGroups<D>::Mesh&);                             \
  template void DeviceGroups<D>::add(int, int);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
