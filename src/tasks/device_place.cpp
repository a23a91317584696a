// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_place.hpp"

#include "base/timer.hpp"

namespace meander::tasks {

template <int D>
void DevicePlace<D>::update_border(const SweepCall& call) {
  device_ = &mesh_.begin_on_device();
  if (call.stage == 0) {
    clock_ = nullptr;
    busy_.start();
    for (int level = 0; level < solvers::Status::most_levels; ++level) busy_.count_update(level);
  }
  is_updated_ = false;
  device_->begin({call.stage, call.t, call.dt});
  device_->flux_messages().expect();
  device_->halos().messages().expect();
  device_->update(Group::border);
}

template <int D>
void DevicePlace<D>::update_interior() {
  if (!is_updated_) device_->update(Group::interior);
  is_updated_ = true;
}

template <int D>
void DevicePlace<D>::start_fluxes() {
  device_->pack_fluxes();
  update_interior();  // submitted before the host waits, so that the device has work
  device_->flux_messages().send();
}

template <int D>
void DevicePlace<D>::finish_fluxes() {
  device_->flux_messages().receive(busy_.waiting("wait for fluxes"));
}

template <int D>
void DevicePlace<D>::correct(LeafGroup group, double) {
  device_->reflux(group == LeafGroup::border ? Group::border : Group::interior);
}

template <int D>
void DevicePlace<D>::start_halos() {
  device_->halos().pack();
  update_interior();
  device_->halos().messages().send();
}

template <int D>
void DevicePlace<D>::fill(mesh::Arrival arrival, double t) {
  if (arrival == mesh::Arrival::received) return device_->halos().fill_received();
  device_->halos().fill_local(t, context_.team);
}

template <int D>
void DevicePlace<D>::finish_halos(double) {
  device_->halos().messages().receive(busy_.waiting("wait for halos"));
}

template <int D>
mesh::WaitForRanks DevicePlace<D>::waiting(const char* trace_name) {
  return [this, wait = busy_.waiting(trace_name)](parallel::NeighbourMessages& messages) {
    const Timer timer(times_.waiting, times_.messages);
    wait(messages);
  };
}

template <int D>
void DevicePlace<D>::start_levels(const LevelClock& clock, int coarsest, bool) {
  clock_ = &clock;
  coarsest_ = coarsest;
  mesh_.begin_on_device();
  if (is_staged()) {
    mesh_.groups_on_device().begin_step();
  } else {
    mesh_.levels_on_device().begin_step();
  }
  busy_.start();
}

template <int D>
void DevicePlace<D>::start_tick() {
  if (!is_staged()) return mesh_.levels_on_device().begin_tick();
  const Timer timer(times_.halo);
  mesh_.groups_on_device().restrict_from(level(clock_->first()), waiting("wait for halos"));
}

template <int D>
void DevicePlace<D>::advance(const LevelGroup& group, int stage) {
  const int first = level(group.first), last = level(group.last);
  const LevelClock::Level& now = (*clock_)[group.first];
  const double t = time_before(stage, now, context_.solver.traits());
  const mesh::WaitForRanks wait = waiting("wait for halos");
  if (is_staged()) {
    mesh::DeviceGroups<D>& groups = mesh_.groups_on_device();
    {
      const Timer timer(times_.halo);
      groups.fill(first, last, stage_of(*clock_, group.first, stage), t, context_.team, wait);
    }
    const Timer timer(times_.update);
    groups.update(first, last, {stage, now.t, now.dt});
    if (stage == context_.solver.traits().stages - 1)
      for (int of = first; of <= last; ++of) busy_.count_update(of);
    return;
  }
  mesh::DeviceLevels<D>& levels = mesh_.levels_on_device();
  if (!group.has_halos) levels.interpolate(first, now.theta());
  levels.keep(first);
  levels.submit();
  if (!group.has_halos) {
    {
      const Timer timer(times_.halo);
      levels.halos(first).start_fill(t, context_.team);
    }
    levels.halos(first).finish_fill(wait);
  }
  const Timer timer(times_.update);
  for (std::size_t l = group.first; l <= group.last; ++l) {
    const LevelClock::Level& of_level = (*clock_)[l];
    levels.update(level(l), of_level.t, of_level.dt, of_level.substep);
    busy_.count_update(level(l));
  }
}

template <int D>
void DevicePlace<D>::reflux(std::size_t of_clock, int fine_steps) {
  const Timer timer(times_.flux_correction);
  mesh::DeviceLevels<D>& levels = mesh_.levels_on_device();
  levels.submit();
  levels.reflux(level(of_clock), (*clock_)[of_clock].dt, fine_steps, waiting("wait for fluxes"));
}

template <int D>
void DevicePlace<D>::wait_for(parallel::MaxReduction& reduction) {
  const Timer timer(times_.waiting, times_.messages, "wait for reduction");
  reduction.wait();
}

template <int D>
solvers::Status DevicePlace<D>::status() {
  const solvers::Status status = clock_ == nullptr ? device_->status()
                                 : is_staged()     ? mesh_.groups_on_device().status()
                                                   : mesh_.levels_on_device().status();
  busy_.charge(mesh_);
  return status;
}

template <int D>
solvers::Status DevicePlace<D>::inspect() {
  return mesh_.on_device()->inspect(false);
}

template <int D>
solvers::Status DevicePlace<D>::enforce_floors() {
  return mesh_.begin_on_device().inspect(true);
}

template class DevicePlace<2>;
template class DevicePlace<3>;

}  // namespace meander::tasks
