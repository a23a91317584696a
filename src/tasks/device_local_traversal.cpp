// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_local_traversal.hpp"

#include "base/timer.hpp"
#include "tasks/device_work.hpp"

namespace meander::tasks {

template <int D>
void DeviceLocalTraversal<D>::advance_levels(bool is_first) {
  if (is_first) {
    mesh_.begin_on_device();
    device_ = &mesh_.levels_on_device();
    device_->begin_step();
    busy_.start(levels_);
  }
  const std::size_t first = clock_.first();
  device_->begin_tick();
  if (!is_first) device_->interpolate(level(first), clock_[first].theta());
  device_->keep(level(first));
  device_->submit();
  if (!is_first) {
    mesh::DeviceHalos<D>& halos = device_->halos(level(first));
    {
      const Timer timer(times_.halo);
      halos.start_fill(clock_[first].t, team_);
    }
    halos.finish_fill(busy_.waiting(times_, "wait for halos"));
  }
  const Timer timer(times_.update);
  for (std::size_t l = first; l < levels_; ++l) {
    device_->update(level(l), clock_[l].t, clock_[l].dt, clock_[l].substep);
    busy_.count_update(l);
  }
}

template <int D>
void DeviceLocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  const Timer timer(times_.flux_correction);
  device_->submit();
  device_->reflux(level(coarse), clock_[coarse].dt, fine_steps, busy_.waiting(times_, "wait for fluxes"));
}

template <int D>
solvers::Status DeviceLocalTraversal<D>::merged() {
  const solvers::Status status = device_->status();
  busy_.charge(mesh_, level(0), [this](int of) { return device_->leaves(of); });
  return status;
}

template class DeviceLocalTraversal<2>;
template class DeviceLocalTraversal<3>;

}  // namespace meander::tasks
