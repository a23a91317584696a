// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_levels.hpp"

#include <algorithm>

#include "base/trace.hpp"

namespace meander::mesh {

template <int D>
DeviceLevels<D>::DeviceLevels(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries,
                              gpu::Resource& memory, std::pmr::memory_resource& host_memory)
    : patches_(patches),
      launches_(patches.launches()),
      boundaries_(boundaries),
      memory_(memory),
      host_memory_(host_memory),
      table_(launches_.device, memory),
      leaf_(launches_.device, memory),
      status_(launches_.device, memory),
      status_sums_(launches_.device, memory),
      registers_(launches_.device, memory),
      sums_(launches_.device, memory),
      kept_(launches_.device, memory),
      interpolated_(launches_.device, memory),
      items_(launches_.device, memory),
      targets_(launches_.device, memory),
      faces_(launches_.device, memory),
      parts_(launches_.device, memory) {
  next_.layout = launches_.layout;
  std::ranges::fill(next_.substep, std::int16_t{0});
}

template <int D>
DeviceLevels<D>::~DeviceLevels() {
  launches_.device.settle(gpu::mark(launches_.queue));
}

template <int D>
void DeviceLevels<D>::begin_step() {
  next_.begins = true;
}

template <int D>
void DeviceLevels<D>::begin_tick() {
  patches_.begin({});
}

template <int D>
void DeviceLevels<D>::add_range(Range range) {
  if (range.count == 0) return;
  next_.ranges[ranges_++] = range;
  next_.count += range.count;
}

template <int D>
void DeviceLevels<D>::interpolate(int first, double theta) {
  const Jump& jump = jumps_[index(first) - 1];
  next_.theta = theta;
  add_range({jump.interpolations, jump.sources});
}

template <int D>
void DeviceLevels<D>::keep(int first) {
  if (first == steps_->finest()) return;
  const std::int32_t begin = jumps_[index(first)].keeps;
  add_range({begin, jumps_.back().keeps + jumps_.back().sources - begin});
}

template <int D>
void DeviceLevels<D>::submit() {
  const bool adds = pending_ >= 0;
  if (adds) {
    const std::int32_t begin = first_figure_[index(pending_)];
    add_range({begin, first_figure_.back() - begin});
  }
  next_.items = items_.data();
  next_.status = status_.data();
  next_.sums = status_sums_.data();
  launches_.launch("local steps", solvers::GeneralBatch(next_));
  std::ranges::fill(next_.ranges, Range{});
  next_.count = ranges_ = 0;
  if (adds) next_.begins = false;
  pending_ = -1;
}

template <int D>
void DeviceLevels<D>::update(int level, double t, double dt, int substep) {
  const std::size_t first = order_.first(index(level));
  patches_.update(table_.data() + first, status_.data() + first, leaves(level), {0, t, dt});
  next_.substep[level] = static_cast<std::int16_t>(substep);
  pending_ = pending_ < 0 ? level : std::min(pending_, level);
}

template <int D>
void DeviceLevels<D>::reflux(int level, double dt, int steps, const WaitForRanks& wait) {
  const Jump& jump = jumps_[index(level)];
  jump.messages->expect();
  jump.messages->copy_out();  // the sums were added up in its buffer
  jump.messages->send();
  jump.messages->receive(wait);
  solvers::RefluxBatch batch;
  batch.count = jump.corrected;
  batch.targets = targets_.data() + jump.targets;
  batch.faces = faces_.data();
  batch.parts = parts_.data();
  batch.status = status_sums_.data();
  batch.layout = launches_.layout;
  batch.dt = dt;
  batch.steps = steps;
  launches_.launch("reflux", solvers::ResidentBatch(batch));
}

template <int D>
solvers::Status DeviceLevels<D>::status() {
  submit();
  return patches_.merge(table_.data(), status_sums_.data(), leaf_.data());
}

template class DeviceLevels<2>;
template class DeviceLevels<3>;

}  // namespace meander::mesh
