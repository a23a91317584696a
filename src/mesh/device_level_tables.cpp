// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The tables of local time steps on a device.
#include <algorithm>

#include "base/timer.hpp"
#include "mesh/device_levels.hpp"

namespace meander::mesh {
namespace {

using solvers::LevelItem;

template <int D>
LevelItem item_of(LevelItem::Kind kind, const solvers::Box<D>& box) {
  LevelItem item;
  item.kind = kind;
  for (std::size_t a = 0; a < D; ++a) {
    item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
    item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
  }
  return item;
}

}  // namespace

template <int D>
struct DeviceLevels<D>::Tables {
  std::vector<solvers::DevicePatch> patches;
  std::vector<LevelItem> items;
  RefluxTables<D> reflux;
};

template <int D>
void DeviceLevels<D>::rebuild(LocalSteps<D>& steps, const typename DevicePatches<D>::Mesh& mesh) {
  const Timer timer(launches_.counts.moved, "tables of local steps");
  launches_.device.synchronize(launches_.queue);  // work with the old tables has ended
  steps_ = &steps;
  pending_ = -1;
  Tables tables;
  order_by_level(tables, mesh);
  allocate();
  for (std::size_t jump = 0; jump < jumps_.size(); ++jump) add_keeps(tables, jump);
  for (std::size_t jump = 0; jump < jumps_.size(); ++jump) add_interpolations(tables, jump);
  first_figure_.clear();
  for (std::size_t level = 0; level <= jumps_.size(); ++level) {
    first_figure_.push_back(static_cast<std::int32_t>(tables.items.size()));
    add_status(tables, level);
    if (level > 0) add_fluxes(tables, level - 1);
  }
  first_figure_.push_back(static_cast<std::int32_t>(tables.items.size()));
  for (std::size_t jump = 0; jump < jumps_.size(); ++jump) {
    add_corrections(tables, jump);
    rebuild_halos(tables, jump, mesh);
  }
  launches_.upload(table_, std::move(tables.patches));
  launches_.upload(items_, std::move(tables.items));
  launches_.upload(targets_, std::move(tables.reflux.targets));
  launches_.upload(faces_, std::move(tables.reflux.faces));
  launches_.upload(parts_, std::move(tables.reflux.parts));
}

template <int D>
void DeviceLevels<D>::order_by_level(Tables& tables, const typename DevicePatches<D>::Mesh& mesh) {
  order_ = LevelOrder(mesh.view.neighbours().cells().first(mesh.order.size()), steps_->coarsest(),
                      steps_->finest());
  for (const std::int32_t leaf : order_.leaf_of()) {
    const auto index = static_cast<std::size_t>(mesh.order_index[static_cast<std::size_t>(leaf)]);
    std::ranges::fill(tables.patches.emplace_back(patches_.table()[index]).flux, nullptr);
  }
  launches_.upload(leaf_, std::vector(order_.leaf_of()));
}

// Sizes all memory, and places the blocks of each jump in it.
template <int D>
void DeviceLevels<D>::allocate() {
  const gpu::Queue queue = launches_.queue;
  std::size_t registers = 0, sums = 0, kept = 0, most_sources = 0;
  jumps_.resize(static_cast<std::size_t>(steps_->finest() - steps_->coarsest()));
  for (std::size_t number = 0; number < jumps_.size(); ++number) {
    Jump& jump = jumps_[number];
    FluxCorrection<D>& fluxes = fluxes_at(number);
    const CoarseInTime<D>& coarse = coarse_at(number);
    jump.registers = registers;
    jump.sums = sums;
    jump.kept = kept;
    registers += fluxes.register_doubles();
    sums += fluxes.sums();
    kept += coarse.kept();
    most_sources = std::max(most_sources, coarse.sources().size());
    if (!jump.messages) jump.messages = std::make_unique<DeviceMessages>(launches_, memory_);
    jump.messages->rebuild(fluxes.messages());
  }
  const std::size_t leaves = order_.size();
  status_.resize(queue, leaves);
  status_sums_.resize(queue, leaves);
  registers_.resize(queue, registers);
  sums_.resize(queue, sums);
  kept_.resize(queue, kept);
  // Halos of one level are filled at a time.
  interpolated_.resize(queue, most_sources * static_cast<std::size_t>(launches_.layout.slot_size()));
}

template <int D>
double* DeviceLevels<D>::interpolated(std::size_t source) const {
  return interpolated_.data() + source * static_cast<std::size_t>(launches_.layout.slot_size());
}

template <int D>
void DeviceLevels<D>::add_keeps(Tables& tables, std::size_t number) {
  Jump& jump = jumps_[number];
  jump.keeps = static_cast<std::int32_t>(tables.items.size());
  for (const auto& source : coarse_at(number).sources()) {
    LevelItem& item = tables.items.emplace_back(item_of<D>(LevelItem::Kind::keep, source.box));
    item.from = patch_of(tables, source.leaf).slot;
    item.values = kept_.data() + jump.kept + source.kept;
  }
  jump.sources = static_cast<std::int32_t>(tables.items.size()) - jump.keeps;
}

template <int D>
void DeviceLevels<D>::add_interpolations(Tables& tables, std::size_t number) {
  Jump& jump = jumps_[number];
  jump.interpolations = static_cast<std::int32_t>(tables.items.size());
  const auto sources = coarse_at(number).sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    LevelItem& item = tables.items.emplace_back(item_of<D>(LevelItem::Kind::interpolate, sources[i].box));
    item.from = patch_of(tables, sources[i].leaf).slot;
    item.values = kept_.data() + jump.kept + sources[i].kept;
    item.slot = interpolated(i);
  }
}

template <int D>
void DeviceLevels<D>::add_status(Tables& tables, std::size_t level) {
  for (std::size_t first = order_.first(level); first < order_.first(level + 1);
       first += patches_of_an_item) {
    LevelItem& item = tables.items.emplace_back();
    item.kind = LevelItem::Kind::add_status;
    item.first = static_cast<std::int32_t>(first);
    item.patches = static_cast<std::int32_t>(std::min(patches_of_an_item, order_.first(level + 1) - first));
  }
}

// The sums of a fine face that corrects a leaf of another rank are added up in the send buffer.
template <int D>
void DeviceLevels<D>::add_fluxes(Tables& tables, std::size_t number) {
  const Jump& jump = jumps_[number];
  const FluxCorrection<D>& fluxes = fluxes_at(number);
  double* const registers = registers_.data() + jump.registers;
  for (const auto& entry : fluxes.registers())
    patch_of(tables, entry.leaf).flux[entry.face] = registers + entry.offset;
  const std::size_t first = tables.items.size();
  const auto faces = fluxes.fine_faces();
  for (const auto& face : faces) {
    LevelItem& item = tables.items.emplace_back();
    item.kind = LevelItem::Kind::add_fluxes;
    item.level = static_cast<std::uint8_t>(level_of(number) + 1);
    item.from = registers + face.fluxes;
    item.values = sums_.data() + jump.sums + face.sums;
    for (std::size_t a = 0; a + 1 < D; ++a) item.sub_face[a] = face.sub_face[a];
  }
  for (const auto& part : fluxes.outgoing_parts()) {
    const auto face = std::ranges::lower_bound(faces, part.fine, {}, &FluxCorrection<D>::FineFace::fluxes);
    tables.items[first + static_cast<std::size_t>(face - faces.begin())].values =
        jump.messages->sent() + part.offset;
  }
}

template <int D>
void DeviceLevels<D>::add_corrections(Tables& tables, std::size_t number) {
  Jump& jump = jumps_[number];
  const FluxCorrection<D>& fluxes = fluxes_at(number);
  const auto part_of = [&](const auto& from) {
    const double* const sums =
        from.received ? jump.messages->received() + from.offset : sums_.data() + jump.sums + from.sums;
    return RefluxTables<D>::part(from.sub_face, sums, true);
  };
  const auto leaves = fluxes.coarse_leaves();
  jump.targets = static_cast<std::int32_t>(tables.reflux.targets.size());
  jump.corrected = static_cast<std::int32_t>(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const solvers::DevicePatch& patch = patch_of(tables, leaves[i]);
    tables.reflux.add(fluxes, i, registers_.data() + jump.registers,
                      {patch.slot, patch.dx, order_.index_of(leaves[i])}, part_of);
  }
}

template <int D>
void DeviceLevels<D>::rebuild_halos(Tables& tables, std::size_t number,
                                    const typename DevicePatches<D>::Mesh& mesh) {
  if (number == halos_.size())
    halos_.push_back(std::make_unique<DeviceHalos<D>>(launches_, boundaries_, memory_, host_memory_));
  LevelExchange<D>& exchange = exchange_at(number);
  const CoarseInTime<D>& coarse = coarse_at(number);
  const auto slot = [&](std::size_t leaf) {
    const auto own = static_cast<std::int32_t>(leaf);
    const auto* const source = coarse.find(own);
    return source != nullptr ? interpolated(static_cast<std::size_t>(source - coarse.sources().data()))
                             : patch_of(tables, own).slot;
  };
  std::vector<std::int32_t> order;
  for (const auto& member : exchange.members()) order.push_back(member.patch);
  halos_[number]->rebuild(exchange.exchange(), mesh.view, mesh.patches, order, slot);
}

template <int D>
solvers::DevicePatch& DeviceLevels<D>::patch_of(Tables& tables, std::int32_t leaf) const {
  return tables.patches[static_cast<std::size_t>(order_.index_of(leaf))];
}

template void DeviceLevels<2>::rebuild(LocalSteps<2>&, const DevicePatches<2>::Mesh&);
template void DeviceLevels<3>::rebuild(LocalSteps<3>&, const DevicePatches<3>::Mesh&);

}  // namespace meander::mesh
