// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_place.hpp"

#include <optional>
#include <utility>

#include "base/timer.hpp"

namespace meander::tasks {

template <int D>
void DevicePlace<D>::update_border(const SweepCall& call) {
  device_ = &mesh_.residence().begin();
  if (call.stage == 0) {
    clock_ = nullptr;
    busy_.start();
    for (int level = 0; level < solvers::Status::most_levels; ++level) busy_.count_update(level);
  }
  is_updated_ = false;
  device_->begin({call.stage, call.t, call.dt});
  device_->fluxes().messages().expect();
  if (!mesh_.exchange().leaves_halos()) device_->halos().messages().expect();
  device_->update(Group::border);
}

template <int D>
void DevicePlace<D>::update_interior() {
  if (!is_updated_) device_->update(Group::interior);
  is_updated_ = true;
}

template <int D>
void DevicePlace<D>::start_fluxes() {
  device_->fluxes().pack();
  update_interior();  // submitted before the host waits, so that the device has work
  device_->fluxes().messages().send();
}

template <int D>
void DevicePlace<D>::finish_fluxes() {
  device_->fluxes().messages().receive(busy_.waiting("wait for fluxes"));
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
  device_->fill_local(t, context_.team);
}

template <int D>
void DevicePlace<D>::finish_halos(double) {
  device_->halos().messages().receive(busy_.waiting("wait for halos"));
}

template <int D>
void DevicePlace<D>::start_levels(const LevelClock& clock, int coarsest, bool, const LevelWork& at_time) {
  clock_ = &clock;
  coarsest_ = coarsest;
  at_time_ = at_time;
  mesh_.residence().begin();
  levels_ = &mesh_.residence().local_steps();
  levels_->begin_step();
  busy_.start();
}

template <int D>
void DevicePlace<D>::start_tick() {
  if (!mesh_.layout().point_values) return;
  timed(times_.halo, "wait for halos",
        [&](const mesh::WaitForRanks& wait) { levels_->restrict_from(level(clock_->first()), wait); });
}

template <int D>
void DevicePlace<D>::advance(const LevelGroup& group, int stage) {
  const int first = level(group.first), last = level(group.last);
  if (stage == 0) {
    steps_.clear();
    for (std::size_t l = group.first; l <= group.last; ++l) {
      const LevelClock::Level& now = (*clock_)[l];
      steps_.push_back({now.t, now.dt, now.substep});
      busy_.count_update(level(l));
    }
    levels_->keep(first, last);
  }
  if (!group.has_halos) {
    const double t = time_before(stage, (*clock_)[group.first], context_.solver.traits());
    timed(times_.halo, "wait for halos", [&](const mesh::WaitForRanks& wait) {
      levels_->fill(first, last, stage_of(*clock_, group.first, stage), t, context_.team, wait, at_time_);
    });
  }
  const Timer timer(times_.update);
  levels_->update(first, last, stage, steps_);
}

template <int D>
void DevicePlace<D>::reflux(std::size_t of_clock, int fine_steps) {
  timed(times_.flux_correction, "wait for fluxes", [&](const mesh::WaitForRanks& wait) {
    levels_->reflux(level(of_clock), (*clock_)[of_clock].dt, fine_steps, wait);
  });
}

template <int D>
template <class Work>
void DevicePlace<D>::timed(double& seconds, const char* trace_name, const Work& work) {
  std::optional<Timer> timer(std::in_place, seconds);
  work([&, wait = busy_.waiting(trace_name)](parallel::NeighbourMessages& messages) {
    timer.reset();
    {
      const Timer waiting(times_.waiting, times_.messages);
      wait(messages);
    }
    timer.emplace(seconds);
  });
}

template <int D>
void DevicePlace<D>::wait_for(parallel::MaxReduction& reduction) {
  if (reduction.is_empty()) return;
  const Timer timer(times_.waiting, times_.messages, "wait for reduction");
  context_.messages.begin();
  reduction.wait();
  context_.messages.end();
}

template <int D>
solvers::Status DevicePlace<D>::status() {
  const solvers::Status status = clock_ == nullptr ? device_->status() : levels_->status();
  busy_.charge(mesh_);
  return status;
}

template <int D>
solvers::Status DevicePlace<D>::inspect(const LeafWork&) {
  return mesh_.residence().device()->inspect(false);
}

template <int D>
solvers::Status DevicePlace<D>::enforce_floors() {
  return mesh_.residence().begin().inspect(true);
}

template class DevicePlace<2>;
template class DevicePlace<3>;

}  // namespace meander::tasks
