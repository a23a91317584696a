// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_local_steps.hpp"

#include <algorithm>
#include <cstdint>

#include "base/assert.hpp"
#include "base/timer.hpp"

namespace meander::mesh {

template <int D>
DeviceLocalSteps<D>::~DeviceLocalSteps() {
  launches_.device.settle(gpu::mark(launches_.queue));
}

template <int D>
void DeviceLocalSteps<D>::begin_step() {
  without_sums_ = steps_.coarsest();
}

template <int D>
void DeviceLocalSteps<D>::add_to_batch(Range range) {
  if (range.count == 0) return;
  batch_.ranges[ranges_++] = range;
  batch_.count += range.count;
}

template <int D>
void DeviceLocalSteps<D>::submit() {
  if (updated_) {
    const auto [first, last] = *updated_;
    add_to_batch(range(sums_, first, last));
    batch_.begins = first >= without_sums_;
    without_sums_ = std::max(without_sums_, last + 1);
    updated_.reset();
  }
  launches_.launch("local steps", solvers::GeneralBatch(batch_));
  std::ranges::fill(batch_.ranges, Range{});
  batch_.count = ranges_ = 0;
}

template <int D>
void DeviceLocalSteps<D>::keep(int first, int last) {
  if (!has_points_) add_to_batch(range(keeps_[0], first, last));
}

template <int D>
void DeviceLocalSteps<D>::combine(const Group& group, const solvers::ShortStage& at,
                                  const solvers::FillBatch& fill) {
  solvers::DenseFillBatch batch;
  static_cast<solvers::FillBatch&>(batch) = fill;
  batch.layout = launches_.layout;
  batch.fills = fill.count;
  batch.combined = static_cast<int>(group.combined.size());
  batch.shared = fill.count > 0 ? group.shared : 0;
  batch.count = batch.fills + batch.combined - batch.shared;
  batch.dense = group.combined.data();
  batch.dense_ops = group.ops.data();
  batch.sources = group.sources.data();
  batch.factors = solvers::dense_factors(at);
  launches_.launch("combine states", solvers::ResidentBatch(batch));
}

template <int D>
void DeviceLocalSteps<D>::fill(int first, int last, const solvers::ShortStage& at, double t, ThreadTeam& team,
                               const WaitForRanks& wait, const std::function<void(int level)>& then) {
  Group& group = *groups_.at({first, has_points_ ? last : steps_.finest()});
  if (!has_points_) {
    batch_.theta = static_cast<double>(at.substep) / at.ratio;
    if (first > steps_.coarsest()) add_to_batch(range(interpolations_, first - 1, first - 1));
    submit();
    if (then && first > steps_.coarsest()) then(first - 1);
  } else if (group.combined.size() > 0) {
    if (group.halos.messages().is_empty()) {
      group.halos.prepare_given(t, team);
      combine(group, at, group.halos.first_local());
      return group.halos.fill_second_local();
    }
    combine(group, at, {});  // messages contain combined states
  }
  group.halos.fill(t, team, wait);
}

template <int D>
void DeviceLocalSteps<D>::update(int first, int last, int stage, std::span<const Step> steps) {
  submit();  // what is kept of levels whose halos were full
  patches_.begin({stage, steps.front().t, steps.front().dt});
  const auto update_from = [&](int level, const solvers::DevicePatch* patches, std::size_t count) {
    const Step& step = steps[static_cast<std::size_t>(level - first)];
    patches_.update(patches, status_.data() + order_.first(index(level)), count, {stage, step.t, step.dt});
    batch_.substep[level] = static_cast<std::int16_t>(step.substep);
  };
  if (stage + 1 == launches_.solver.traits().stages) updated_ = {first, last};
  if (!has_points_) {  // the sums are made by the next launch of this kind
    for (int level = first; level <= last; ++level)
      update_from(level, table_.data() + order_.first(index(level)), order_.count(index(level)));
    return;
  }
  const Group& group = *groups_.at({first, last});
  update_from(first, group.patches, group.count);
  if (stage < 2) add_to_batch(range(keeps_[stage], last, last));
  submit();
}

template <int D>
void DeviceLocalSteps<D>::reflux(int level, double dt, int steps, const WaitForRanks& wait) {
  submit();
  DeviceReflux<D>& reflux = reflux_[index(level)];
  reflux.messages().expect();
  reflux.pack();
  reflux.messages().send();
  reflux.messages().receive(wait);
  reflux.correct(DeviceReflux<D>::Leaves::all, status_sums_.data(), dt, steps);
}

template <int D>
solvers::Status DeviceLocalSteps<D>::status() {
  submit();
  return patches_.merge(table_.data(), status_sums_.data(), leaf_.data());
}

// The tables of local time steps on a device.

using solvers::DenseOp;
using solvers::LevelItem;

template <int D>
DeviceLocalSteps<D>::DeviceLocalSteps(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries,
                                      std::pmr::memory_resource& host_memory, LocalSteps<D>& steps,
                                      const Mesh& mesh)
    : patches_(patches),
      launches_(patches.launches()),
      boundaries_(boundaries),
      host_memory_(host_memory),
      steps_(steps),
      has_points_(launches_.layout.point_values),
      order_(mesh.view.neighbours().cells().first(mesh.slots.size()), steps.coarsest(), steps.finest()),
      table_(launches_.device, patches.memory()),
      leaf_(launches_.device, patches.memory()),
      status_(launches_.device, patches.memory()),
      status_sums_(launches_.device, patches.memory()),
      kept_(launches_.device, patches.memory()),
      combined_(launches_.device, patches.memory()),
      next_(launches_.device, patches.memory()),
      items_(launches_.device, patches.memory()) {
  batch_.layout = launches_.layout;
  std::ranges::fill(batch_.substep, std::int16_t{0});
  {
    const Timer timer(launches_.counts.moved, "tables of local steps");
    upload_patches(mesh);
    if (has_points_)
      cuts_.emplace(launches_, patches.memory(), steps,
                    [this](std::size_t leaf) { return patch_of(static_cast<std::int32_t>(leaf)).slot; });
    allocate();
    upload_items();
  }
  // A field changes states before the halos of the coarsest level are filled, too.
  const int first_filled = steps.coarsest() + (launches_.layout.carried > 0 ? 0 : 1);
  for (int first = first_filled; !has_points_ && first <= steps.finest(); ++first) add(first, steps.finest());
}

template <int D>
void DeviceLocalSteps<D>::upload_patches(const Mesh& mesh) {
  std::vector<solvers::DevicePatch> table;
  for (const std::int32_t leaf : order_.leaf_of()) {
    const auto index = static_cast<std::size_t>(mesh.exchange.order_index()[static_cast<std::size_t>(leaf)]);
    std::ranges::fill(table.emplace_back(patches_.table()[index]).flux, nullptr);
  }
  for (int level = steps_.coarsest(); !has_points_ && level < steps_.finest(); ++level)
    reflux_.emplace_back(launches_, launches_, patches_.memory(), DeviceReflux<D>::Fine::sums)
        .rebuild(steps_.fluxes(level), steps_.patches(), table, order_.index_of(), table.size());
  launches_.upload(table_, table);
  launches_.upload(leaf_, std::vector(order_.leaf_of()));
}

template <int D>
void DeviceLocalSteps<D>::allocate() {
  const gpu::Queue queue = launches_.queue;
  const solvers::PatchLayout& layout = launches_.layout;
  const std::size_t shadows = cuts_ ? cuts_->most_shadows() : 0;
  std::size_t kept = 0, most_sources = 0;
  for (int level = steps_.coarsest(); level < steps_.finest(); ++level) {
    const CoarseInTime<D>& coarse = steps_.coarse(level);
    first_kept_.push_back(kept);
    kept += coarse.kept();
    most_sources = std::max(most_sources, coarse.sources().size());
  }
  status_.resize(queue, order_.size() + shadows);
  status_sums_.resize(queue, order_.size());
  kept_.resize(queue, kept);
  combined_.resize(queue, most_sources * static_cast<std::size_t>(layout.slot_size()));
  if (launches_.solver.kernels_of_launch().stage_new_interior)
    next_.resize(queue, shadows * static_cast<std::size_t>(layout.volumes() * layout.unknowns));
}

template <int D>
double* DeviceLocalSteps<D>::kept(int level, std::size_t source) const {
  return kept_.data() + first_kept_[index(level)] + steps_.coarse(level).sources()[source].kept;
}

template <int D>
double* DeviceLocalSteps<D>::combined(std::size_t source) const {
  return combined_.data() + source * static_cast<std::size_t>(launches_.layout.slot_size());
}

template <int D>
void DeviceLocalSteps<D>::upload_items() {
  Items items;
  const auto by_level = [&](int last, const auto& add) {
    Begins begins;
    for (int level = steps_.coarsest(); level <= steps_.finest(); ++level) {
      begins.push_back(static_cast<std::int32_t>(items.size()));
      if (level <= last) add(level);
    }
    begins.push_back(static_cast<std::int32_t>(items.size()));
    return begins;
  };
  const auto of_sources = [&](LevelItem::Kind kind, int stage) {
    return by_level(steps_.finest() - 1, [&](int level) { add_sources(items, level, kind, stage); });
  };
  if (has_points_) {
    for (const int stage : {0, 1}) keeps_[stage] = of_sources(LevelItem::Kind::keep_rates, stage);
  } else {
    keeps_[0] = of_sources(LevelItem::Kind::keep, 0);
    interpolations_ = of_sources(LevelItem::Kind::interpolate, 0);
  }
  sums_ = by_level(steps_.finest(), [&](int level) {
    add_status(items, level);
    if (!has_points_ && level > steps_.coarsest())
      reflux_[index(level - 1)].add_items(level, steps_.fluxes(level - 1), items);
  });
  launches_.upload(items_, items);
  batch_.items = items_.data();
  batch_.status = status_.data();
  batch_.sums = status_sums_.data();
}

template <int D>
void DeviceLocalSteps<D>::add_sources(Items& items, int level, LevelItem::Kind kind, int stage) const {
  const auto sources = steps_.coarse(level).sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const solvers::DevicePatch patch = patch_of(sources[i].leaf);
    const std::size_t size = sources[i].box.volumes() * static_cast<std::size_t>(launches_.layout.unknowns);
    LevelItem& item = items.emplace_back();
    item.kind = kind;
    set_box<D>(item, sources[i].box);
    item.from = has_points_ ? patch.stages + launches_.layout.stage_block_size() : patch.slot;
    item.values = kept(level, i) + static_cast<std::size_t>(stage) * size;
    if (kind == LevelItem::Kind::interpolate) item.slot = combined(i);
  }
}

template <int D>
void DeviceLocalSteps<D>::add_status(Items& items, int level) const {
  const std::size_t end = order_.first(index(level) + 1);
  for (std::size_t first = order_.first(index(level)); first < end; first += patches_of_an_item) {
    LevelItem& item = items.emplace_back();
    item.kind = LevelItem::Kind::add_status;
    item.first = static_cast<std::int32_t>(first);
    item.patches = static_cast<std::int32_t>(std::min(patches_of_an_item, end - first));
  }
}

template <int D>
void DeviceLocalSteps<D>::add(int first, int last) {
  const Timer timer(launches_.counts.moved, "tables of local steps");
  auto group = std::make_unique<Group>(launches_, boundaries_, patches_.memory(), host_memory_);
  group->patches = table_.data() + order_.first(index(first));
  group->count = order_.first(index(last) + 1) - order_.first(index(first));
  add_shadows(*group, first, last);
  add_halos(*group, first, last);
  groups_[{first, last}] = std::move(group);
}

template <int D>
void DeviceLocalSteps<D>::add_shadows(Group& group, int first, int last) {
  const LevelExchange<D>& exchange = steps_.exchange(first, last);
  if (exchange.shadows() == 0) return;
  const solvers::PatchLayout& layout = launches_.layout;
  const auto interior = static_cast<std::size_t>(layout.volumes() * layout.unknowns);
  const auto leaves = table_.host().subspan(order_.first(index(first)), group.count);
  std::vector<solvers::DevicePatch> patches(leaves.begin(), leaves.end());
  bool radiates = false;
  for (const auto& member : exchange.members()) {
    if (member.leaf_of_mesh >= 0) continue;
    double* const next =
        next_.size() == 0 ? nullptr : next_.data() + (patches.size() - leaves.size()) * interior;
    double* const slot = cuts_->slot(last, static_cast<std::size_t>(member.patch));
    patches.push_back(patches_.entry(exchange.patch(member), slot, next, member.level));
    radiates = radiates || patches.back().radiative != 0;
  }
  patches_.expect(patches.size(), radiates);
  launches_.upload(group.with_shadows, patches);
  group.patches = group.with_shadows.data();
  group.count = group.with_shadows.size();
}

template <int D>
void DeviceLocalSteps<D>::add_halos(Group& group, int first, int last) {
  const TreePatches<D> tree = steps_.tree(last);
  HaloExchange<D>& exchange = steps_.exchange(first, last).exchange();
  const HaloPlan<D>& plan = exchange.plan();
  const CoarseInTime<D>* const coarse = first > steps_.coarsest() ? &steps_.coarse(first - 1) : nullptr;
  const auto source_of = [&](std::size_t leaf) {  // its number, or -1
    const auto* const source = coarse == nullptr ? nullptr : coarse->find(tree.leaf_of_mesh[leaf]);
    return source == nullptr ? -1 : static_cast<std::int32_t>(source - coarse->sources().data());
  };
  // Targets: combined states, of which those whose halos need no messages share a launch with them, then the
  // others.
  std::vector<std::int32_t> dense, order;
  for (const Arrival arrival : {Arrival::local, Arrival::received}) {
    for (std::size_t leaf = 0; has_points_ && leaf < tree.leaf_of_mesh.size(); ++leaf) {
      if (source_of(leaf) >= 0 && plan.arrival(leaf) == arrival)
        dense.push_back(static_cast<std::int32_t>(leaf));
    }
    if (arrival == Arrival::local) group.shared = static_cast<std::int32_t>(dense.size());
  }
  order = dense;
  for (std::size_t leaf = 0; leaf < tree.leaf_of_mesh.size(); ++leaf) {
    const bool is_filled = !plan.early(leaf).empty() || !plan.late(leaf).empty();
    if (is_filled && source_of(leaf) < 0) order.push_back(static_cast<std::int32_t>(leaf));
  }
  std::vector<solvers::DenseSource> sources;
  for (std::size_t i = 0; has_points_ && coarse != nullptr && i < coarse->sources().size(); ++i) {
    const solvers::DevicePatch patch = patch_of(coarse->sources()[i].leaf);
    auto& source = sources.emplace_back();
    source.slot = patch.slot;
    source.stages = patch.stages;
    source.kept = kept(first - 1, i);
    set_box<D>(source, coarse->sources()[i].box);
  }
  std::vector<solvers::FillTarget> targets;
  std::vector<DenseOp> ops;
  const auto slot = [&](std::size_t leaf) {
    if (const std::int32_t source = source_of(leaf); source >= 0)
      return combined(static_cast<std::size_t>(source));
    return cuts_ ? cuts_->slot(last, leaf) : patch_of(tree.leaf_of_mesh[leaf]).slot;
  };
  const auto add_dense = [&](FillTables<D>& tables) {
    for (std::size_t n = 0; n < dense.size(); ++n) {
      const auto leaf = static_cast<std::size_t>(dense[n]);
      const auto begin = static_cast<std::int32_t>(ops.size());
      DenseOp& interior = ops.emplace_back();
      interior.source = source_of(leaf);
      set_box<D>(interior, coarse->find(tree.leaf_of_mesh[leaf])->box);
      if (n < static_cast<std::size_t>(group.shared))
        replace_copies(tables.targets[n], tables.ops, sources, ops);
      targets.push_back({slot(leaf), begin, static_cast<std::int32_t>(ops.size())});
    }
  };
  group.halos.rebuild(exchange, *tree.view, tree.patches, order, slot, ThreadTeam(1), add_dense);
  launches_.upload(group.combined, targets);
  launches_.upload(group.ops, ops);
  launches_.upload(group.sources, sources);
}

template <int D>
void DeviceLocalSteps<D>::replace_copies(const solvers::FillTarget& halo, std::span<solvers::FillOp> fill,
                                         std::span<const solvers::DenseSource> sources,
                                         std::vector<DenseOp>& ops) const {
  const auto slot_size = static_cast<std::size_t>(launches_.layout.slot_size());
  for (std::int32_t o = halo.begin; o < halo.end; ++o) {
    solvers::FillOp& op = fill[static_cast<std::size_t>(o)];
    const bool is_combined = op.kind == solvers::FillOp::Kind::copy && op.source >= combined_.data() &&
                             op.source < combined_.data() + combined_.size();
    if (!is_combined) continue;
    DenseOp& copy = ops.emplace_back();
    copy.source =
        static_cast<std::int32_t>(static_cast<std::size_t>(op.source - combined_.data()) / slot_size);
    std::ranges::copy(op.lower, copy.lower);
    std::ranges::copy(op.extent, copy.extent);
    std::ranges::copy(op.shift, copy.shift);
    for (std::size_t a = 0; a < D; ++a) {
      [[maybe_unused]] const auto& from = sources[static_cast<std::size_t>(copy.source)];
      MEANDER_ASSERT(copy.lower[a] + copy.shift[a] >= from.lower[a] &&
                     copy.lower[a] + copy.extent[a] + copy.shift[a] <= from.lower[a] + from.extent[a]);
      op.extent[a] = 0;  // nothing left to fill
    }
  }
}

template class DeviceLocalSteps<2>;
template class DeviceLocalSteps<3>;

}  // namespace meander::mesh
