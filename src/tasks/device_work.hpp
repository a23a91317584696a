// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of a step on patches in the memory of a device: every sweep is a launch or two. The host submits
// launches, exchanges messages while kernels run, and waits for the device once a stage with messages, and
// once a step for the status.

#include <chrono>

#include "mesh/device_patches.hpp"
#include "tasks/patch_work.hpp"

namespace meander::tasks {

template <int D>
class DeviceWork final : public PatchWork<D> {
 public:
  // All outlive this. The patches of the mesh live on a device (PatchMesh::live_on()).
  explicit DeviceWork(const SweepContext<D>& context) : context_(context) {}

  void update_border(const SweepCall& call) override;
  void start_fluxes() override;
  void update_during_fluxes() override;
  void finish_fluxes() override;
  void correct(LeafGroup group, double dt) override;
  void start_halos() override;
  void update_rest() override;
  void fill(mesh::Arrival arrival, double t) override;
  void finish_halos(double t) override;
  solvers::Status status() override;
  bool fills_before_status() const override { return true; }
  solvers::Status inspect() override;
  solvers::Status enforce_floors() override;

 private:
  using Group = typename mesh::DevicePatches<D>::LeafGroup;
  using Clock = std::chrono::steady_clock;
  void update_interior();
  void receive(mesh::DeviceMessages& messages, const char* trace_name);

  const SweepContext<D> context_;
  mesh::DevicePatches<D>* device_ = nullptr;  // during a step
  bool is_updated_ = false;
  // Of the present step: the time of this rank, without waiting for others, until `since_`.
  Clock::duration busy_{};
  Clock::time_point since_;
};

}  // namespace meander::tasks
