// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_halos.hpp"

#include <algorithm>

#include "base/trace.hpp"

namespace meander::mesh {

template <int D>
DeviceHalos<D>::DeviceHalos(DeviceLaunches& launches, DeviceLaunches& sends,
                            const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                            std::pmr::memory_resource& host_memory)
    : launches_(launches),
      sends_(sends),
      boundaries_(boundaries),
      ghost_pool_(memory, static_cast<std::size_t>(launches.layout.slot_size())),
      messages_(sends, launches, memory),
      given_(launches.device, memory),
      signs_(launches.device, memory),
      targets_(launches.device, memory),
      ops_(launches.device, memory, host_memory),
      parts_(launches.device, memory),
      outgoing_(launches.device, memory),
      host_memory_(host_memory) {
  std::vector<double> signs;
  for (int a = 0; a < D; ++a) {
    const auto of_axis = boundaries.signs(a);
    signs.insert(signs.end(), of_axis.begin(), of_axis.end());
  }
  launches.upload(signs_, signs);
}

template <int D>
void DeviceHalos<D>::rebuild(HaloExchange<D>& exchange, const LocalView<D>& view,
                             std::span<const solvers::PatchTask> patches, std::span<const std::int32_t> order,
                             const std::function<double*(std::size_t leaf)>& slot, const ThreadTeam& team,
                             const std::function<void(FillTables<D>&)>& edit) {
  const gpu::Queue queue = launches_.queue;
  messages_.rebuild(exchange.messages());
  const auto ghosts = exchange.plan().ghost_patches();
  ghost_pool_.reserve(ghosts.size());
  while (ghost_pool_.held() < ghosts.size()) ghost_pool_.acquire();
  std::vector<double*> slots(view.size(), nullptr);
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) slots[leaf] = slot(leaf);
  for (std::size_t i = 0; i < ghosts.size(); ++i)
    slots[static_cast<std::size_t>(ghosts[i])] = ghost_pool_[static_cast<int>(i)];
  FillTables<D> tables(
      exchange.plan(), view, boundaries_, order, launches_.layout.unknowns, {slots, messages_.received()},
      [&](std::size_t count) { return ops_.stage(queue, count); }, team);
  if (edit) edit(tables);
  std::ranges::copy(tables.group_begin, group_begin_);
  given_.resize(queue, tables.given_doubles);
  tables.place_given(given_.data());
  given_boxes_ = std::move(tables.given);
  geometry_.clear();
  if (!given_boxes_.empty()) geometry_.assign(patches.begin(), patches.end());
  given_values_ = {};
  if (tables.given_doubles > 0) given_values_ = {host_memory_, tables.given_doubles};
  launches_.submit(ops_);
  launches_.upload(targets_, tables.targets);
  launches_.upload(parts_, tables.parts);
  launches_.upload(outgoing_, tables.outgoing);
}

template <int D>
void DeviceHalos<D>::prepare_given(double t, ThreadTeam& team) {
  if (given_boxes_.empty()) return;
  const trace::Scope scope("boundary values", static_cast<std::int64_t>(given_boxes_.size()));
  launches_.wait(given_event_);
  team.for_chunks(given_boxes_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const GivenBox<D>& of = given_boxes_[i];
      boundaries_.pack_given(geometry_[static_cast<std::size_t>(of.leaf)], of.box, of.face, t,
                             given_values_.data() + of.offset);
    }
  });
  launches_.copy_in(given_.data(), given_values_.data(), given_values_.size());
  given_event_ = launches_.device.record(launches_.queue);
}

template <int D>
solvers::FillBatch DeviceHalos<D>::batch(int group) const {
  solvers::FillBatch batch;
  batch.count = group_begin_[group + 1] - group_begin_[group];
  batch.targets = targets_.data() + group_begin_[group];
  batch.ops = ops_.data();
  batch.parts = parts_.data();
  batch.signs = signs_.data();
  batch.layout = launches_.layout;
  batch.prolongation = launches_.solver.traits().prolongation;
  return batch;
}

template <int D>
void DeviceHalos<D>::fill(int group) {
  launches_.launch("fill halos", solvers::ResidentBatch(batch(group)));
}

template <int D>
void DeviceHalos<D>::fill_local(double t, ThreadTeam& team) {
  prepare_given(t, team);
  fill(FillTables<D>::first_local);
  fill_second_local();
}

template <int D>
void DeviceHalos<D>::fill_received() {
  fill(FillTables<D>::ghosts);
  fill(FillTables<D>::first_received);
  fill(FillTables<D>::second_waiting);
}

template <int D>
void DeviceHalos<D>::start_fill(double t, ThreadTeam& team) {
  messages_.expect();
  if (sends_.queue != launches_.queue && !messages_.is_empty()) sends_.follow(launches_);
  pack();
  messages_.send();
  fill_local(t, team);
}

template <int D>
void DeviceHalos<D>::finish_fill(const WaitForRanks& wait) {
  messages_.receive(wait);
  fill_received();
}

template class DeviceHalos<2>;
template class DeviceHalos<3>;

}  // namespace meander::mesh
