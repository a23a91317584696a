// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_groups.hpp"

#include <algorithm>

namespace meander::mesh {

template <int D>
DeviceGroups<D>::~DeviceGroups() {
  launches_.device.settle(gpu::mark(launches_.queue));
}

template <int D>
void DeviceGroups<D>::begin_step() {
  std::ranges::fill(is_counted_, char{0});
}

template <int D>
void DeviceGroups<D>::combine(Group& group, const solvers::ShortStage& at, const solvers::FillBatch& fill) {
  solvers::DenseFillBatch batch;
  static_cast<solvers::FillBatch&>(batch) = fill;
  batch.layout = launches_.layout;
  batch.fills = fill.count;
  batch.combined = static_cast<int>(group.dense.size());
  batch.shared = fill.count > 0 ? group.shared : 0;
  batch.count = batch.fills + batch.combined - batch.shared;
  batch.dense = group.dense.data();
  batch.dense_ops = group.dense_ops.data();
  batch.sources = group.sources.data();
  batch.factors = solvers::dense_factors(at);
  launches_.launch("combine states", solvers::ResidentBatch(batch));
}

template <int D>
void DeviceGroups<D>::fill(int first, int last, const solvers::ShortStage& at, double t, ThreadTeam& team,
                           const WaitForRanks& wait) {
  Group& group = this->group(first, last);
  DeviceHalos<D>& halos = group.halos;
  const bool combines = group.dense.size() > 0;
  if (combines && halos.messages().is_empty()) {
    halos.prepare_given(t, team);
    combine(group, at, halos.first_local());
    return halos.fill_second_local();
  }
  if (combines) combine(group, at, {});  // messages contain combined states
  halos.fill(t, team, wait);
}

template <int D>
void DeviceGroups<D>::update(int first, int last, const Stage& stage) {
  Group& group = this->group(first, last);
  patches_.begin(stage);
  patches_.update(group.patches.data(), status_.data(), group.patches.size(), stage);
  solvers::LevelBatch batch;
  batch.items = group.items.data();
  batch.layout = launches_.layout;
  std::ranges::fill(batch.substep, std::int16_t{0});
  batch.status = status_.data();
  batch.sums = status_sums_.data() + order_.first(index(first));
  batch.begins = is_counted_[index(first)] == 0;
  if (stage.number < 2) batch.ranges[0] = group.keeps[stage.number];
  if (stage.number + 1 == launches_.solver.traits().stages) {
    batch.ranges[0] = group.status;
    for (int level = first; level <= last; ++level) is_counted_[index(level)] = 1;
  }
  batch.count = batch.ranges[0].count;
  launches_.launch("local steps", solvers::GeneralBatch(batch));
}

template <int D>
solvers::Status DeviceGroups<D>::status() {
  return patches_.merge(table_.data(), status_sums_.data(), leaf_.data());
}

template class DeviceGroups<2>;
template class DeviceGroups<3>;

}  // namespace meander::mesh
