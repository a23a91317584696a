// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_local_traversal.hpp"

#include "base/trace.hpp"
#include "tasks/device_work.hpp"

namespace meander::tasks {

template <int D>
void DeviceLocalTraversal<D>::advance_levels(bool is_first) {
  if (is_first) {
    mesh_.begin_on_device();
    device_ = &mesh_.levels_on_device();
    device_->begin_step();
    updates_.assign(levels_, 0);
    busy_ = {};
    since_ = Clock::now();
  }
  const std::size_t first = clock_.first();
  device_->begin_tick();
  if (!is_first) device_->interpolate(level(first), clock_[first].theta());
  device_->keep(level(first));
  device_->submit();
  if (!is_first) fill_halos(first);
  const ScopedTimer timer(times_.update);
  for (std::size_t l = first; l < levels_; ++l) {
    device_->update(level(l), clock_[l].t, clock_[l].dt, clock_[l].substep);
    ++updates_[l];
  }
}

template <int D>
void DeviceLocalTraversal<D>::fill_halos(std::size_t of_clock) {
  mesh::DeviceHalos<D>& halos = device_->halos(level(of_clock));
  parallel::NeighbourMessages& messages = mesh_.local_steps().halos(level(of_clock)).messages();
  {
    const ScopedTimer timer(times_.halo);
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
  const trace::Scope scope("wait for halos");
  wait_for_ranks([&] { messages.wait(); });
  halos.receive(messages.receive_buffer());
  halos.fill_received();
}

template <int D>
template <class Wait>
void DeviceLocalTraversal<D>::wait_for_ranks(const Wait& wait) {
  const ScopedTimer timer(times_.waiting), of_messages(times_.messages);
  busy_ += Clock::now() - since_;
  wait();
  since_ = Clock::now();
}

template <int D>
void DeviceLocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  const ScopedTimer timer(times_.flux_correction);
  device_->submit();
  parallel::NeighbourMessages& messages = mesh_.local_steps().fluxes(level(coarse)).messages();
  if (!messages.is_empty()) {
    messages.start_receives();
    device_->pack_fluxes(level(coarse), messages.send_buffer());
    device_->wait_for_packed();
    messages.start_sends();
    const trace::Scope scope("wait for fluxes");
    wait_for_ranks([&] { messages.wait(); });
    device_->receive_fluxes(level(coarse), messages.receive_buffer());
  }
  device_->reflux(level(coarse), clock_[coarse].dt, fine_steps);
}

template <int D>
SweepStatus DeviceLocalTraversal<D>::merged() {
  const SweepStatus status = DeviceWork<D>::status_of(device_->status());
  busy_ += Clock::now() - since_;
  since_ = Clock::now();
  std::int64_t all = 0;
  for (std::size_t l = 0; l < levels_; ++l)
    all += updates_[l] * static_cast<std::int64_t>(device_->leaves(level(l)));
  if (mesh_.measures_cost() && all > 0) {
    const double of_update = std::chrono::duration<double>(busy_).count() / static_cast<double>(all);
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
      const auto l = static_cast<std::size_t>(mesh_.levels()[leaf] - level(0));
      mesh_.add_cost(leaf, of_update * static_cast<double>(updates_[l]));
    }
  }
  updates_.assign(levels_, 0);
  busy_ = {};
  return status;
}

template class DeviceLocalTraversal<2>;
template class DeviceLocalTraversal<3>;

}  // namespace meander::tasks
