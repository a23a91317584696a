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
  device_->flux_messages().expect();
  device_->halos().messages().expect();
  device_->update(Group::border);
}

template <int D>
void DeviceWork<D>::update_interior() {
  if (!is_updated_) device_->update(Group::interior);
  is_updated_ = true;
}

template <int D>
void DeviceWork<D>::receive(mesh::DeviceMessages& messages, const char* trace_name) {
  messages.receive([&](parallel::NeighbourMessages& of_ranks) {
    const trace::Scope scope(trace_name);
    busy_ += Clock::now() - since_;
    of_ranks.wait();
    since_ = Clock::now();
  });
}

template <int D>
void DeviceWork<D>::start_fluxes() {
  device_->pack_fluxes();
  update_interior();  // submitted before the host waits, so that the device has work
  device_->flux_messages().send();
}

template <int D>
void DeviceWork<D>::update_during_fluxes() {
  update_interior();
}

template <int D>
void DeviceWork<D>::finish_fluxes() {
  receive(device_->flux_messages(), "wait for fluxes");
}

template <int D>
void DeviceWork<D>::correct(LeafGroup group, double) {
  device_->reflux(group == LeafGroup::border ? Group::border : Group::interior);
}

template <int D>
void DeviceWork<D>::start_halos() {
  device_->halos().pack();
  update_interior();
  device_->halos().messages().send();
}

template <int D>
void DeviceWork<D>::update_rest() {
  update_interior();
}

template <int D>
void DeviceWork<D>::fill(mesh::Arrival arrival, double t) {
  if (arrival == mesh::Arrival::received) return device_->halos().fill_received();
  device_->halos().fill_local(t, context_.team);
}

template <int D>
void DeviceWork<D>::finish_halos(double) {
  receive(device_->halos().messages(), "wait for halos");
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
