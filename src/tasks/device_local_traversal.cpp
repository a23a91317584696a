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
  if (!is_first) fill_halos(first);
  const Timer timer(times_.update);
  for (std::size_t l = first; l < levels_; ++l) {
    device_->update(level(l), clock_[l].t, clock_[l].dt, clock_[l].substep);
    busy_.count_update(l);
  }
}

template <int D>
void DeviceLocalTraversal<D>::fill_halos(std::size_t of_clock) {
  mesh::DeviceHalos<D>& halos = device_->halos(level(of_clock));
  parallel::NeighbourMessages& messages = mesh_.local_steps().halos(level(of_clock)).messages();
  {
    const Timer timer(times_.halo);
    halos.wait_for_received();
    messages.start_receives();
    if (!messages.is_empty()) {
      halos.pack(messages.send_buffer());
      halos.wait_for_packed();
    }
    messages.start_sends();
    halos.prepare_given(clock_[of_clock].t, team_);
    halos.fill_local();
  }
  if (messages.is_empty()) return;
  wait_for_ranks(messages, "wait for halos");
  halos.receive(messages.receive_buffer());
  halos.fill_received();
}

template <int D>
void DeviceLocalTraversal<D>::wait_for_ranks(parallel::NeighbourMessages& messages, const char* trace_name) {
  const Timer timer(times_.waiting, times_.messages, trace_name);
  busy_.pause([&] { messages.wait(); });
}

template <int D>
void DeviceLocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  const Timer timer(times_.flux_correction);
  device_->submit();
  parallel::NeighbourMessages& messages = mesh_.local_steps().fluxes(level(coarse)).messages();
  if (!messages.is_empty()) {
    messages.start_receives();
    device_->pack_fluxes(level(coarse), messages.send_buffer());
    device_->wait_for_packed();
    messages.start_sends();
    wait_for_ranks(messages, "wait for fluxes");
    device_->receive_fluxes(level(coarse), messages.receive_buffer());
  }
  device_->reflux(level(coarse), clock_[coarse].dt, fine_steps);
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
