// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_local_steps.hpp"

#include <algorithm>

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
                               const WaitForRanks& wait) {
  Group& group = *groups_.at({first, last});
  if (!has_points_) {
    batch_.theta = static_cast<double>(at.substep) / at.ratio;
    add_to_batch(range(interpolations_, first - 1, first - 1));
    submit();
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

template class DeviceLocalSteps<2>;
template class DeviceLocalSteps<3>;

}  // namespace meander::mesh
