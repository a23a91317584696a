// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_work.hpp"

#include <algorithm>

#include "base/trace.hpp"

namespace meander::tasks {

template <int D>
void DeviceWork<D>::update_border(const SweepCall& call) {
  device_ = &context_.mesh.begin_on_device();
  if (call.stage == 0) {
    busy_ = {};
    since_ = Clock::now();
  }
  is_updated_ = false;
  device_->begin({call.stage, call.t, call.dt});
  context_.mesh.expect_messages();
  device_->update(Group::border);
}

template <int D>
void DeviceWork<D>::update_interior() {
  if (!is_updated_) device_->update(Group::interior);
  is_updated_ = true;
}

template <int D>
template <class Wait>
void DeviceWork<D>::wait_for_ranks(const Wait& wait) {
  busy_ += Clock::now() - since_;
  wait();
  since_ = Clock::now();
}

template <int D>
void DeviceWork<D>::start_fluxes() {
  parallel::NeighbourMessages& messages = context_.mesh.flux_messages();
  if (messages.is_empty()) return;
  device_->pack_fluxes(messages.send_buffer());
  update_interior();  // submitted before the host waits, so that the device has work
  device_->wait_for_packed();
  messages.start_sends();
}

template <int D>
void DeviceWork<D>::update_during_fluxes() {
  update_interior();
}

template <int D>
void DeviceWork<D>::finish_fluxes() {
  if (!context_.mesh.has_flux_messages()) return;
  wait_for_ranks([&] { context_.mesh.finish_fluxes(); });
  device_->receive_fluxes(context_.mesh.flux_messages().receive_buffer());
}

template <int D>
void DeviceWork<D>::correct(LeafGroup group, double) {
  device_->reflux(group == LeafGroup::border ? Group::border : Group::interior);
}

template <int D>
void DeviceWork<D>::start_halos() {
  parallel::NeighbourMessages& messages = context_.mesh.halo_messages();
  if (messages.is_empty()) return;
  device_->halos().pack(messages.send_buffer());
  update_interior();
  device_->halos().wait_for_packed();
  messages.start_sends();
}

template <int D>
void DeviceWork<D>::update_rest() {
  update_interior();
}

template <int D>
void DeviceWork<D>::fill(mesh::Arrival arrival, double t) {
  if (arrival == mesh::Arrival::received) return device_->halos().fill_received();
  device_->halos().prepare_given(t, context_.team);
  device_->halos().fill_local();
}

template <int D>
void DeviceWork<D>::finish_halos(double) {
  const trace::Scope scope("wait for halos");
  wait_for_ranks([&] { context_.mesh.halo_messages().wait(); });
  device_->halos().receive(context_.mesh.halo_messages().receive_buffer());
}

template <int D>
solvers::Status DeviceWork<D>::status() {
  const solvers::Status status = device_->status();
  mesh::PatchMesh<D>& mesh = context_.mesh;
  if (mesh.measures_cost() && mesh.size() > 0) {
    const std::chrono::duration<double> busy = busy_ + (Clock::now() - since_);
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf)
      mesh.add_cost(leaf, busy.count() / static_cast<double>(mesh.size()));
  }
  return status;
}

template <int D>
solvers::Status DeviceWork<D>::inspect() {
  return context_.mesh.on_device()->inspect(false);
}

template <int D>
solvers::Status DeviceWork<D>::enforce_floors() {
  return context_.mesh.begin_on_device().inspect(true);
}

template class DeviceWork<2>;
template class DeviceWork<3>;

}  // namespace meander::tasks
