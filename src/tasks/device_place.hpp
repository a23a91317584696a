// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of patches in the memory of a device: every operation is a launch or a few on one queue, whatever the number
// of leaves. The host submits launches, exchanges messages while kernels run, and waits for the device where it has to
// send messages, for the status of a step, and where the ratios of local steps are chosen.

#include "mesh/device_local_steps.hpp"
#include "mesh/device_patches.hpp"
#include "tasks/device_busy_time.hpp"
#include "tasks/place.hpp"

namespace meander::tasks {

template <int D>
class DevicePlace final : public Place<D> {
 public:
  // All outlive this. The patches of the mesh live on a device (PatchResidence::live_on()).
  explicit DevicePlace(const SweepContext<D>& context)
      : context_(context), mesh_(context.mesh), times_(context.times) {}

  void update_border(const SweepCall& call) override;
  void start_fluxes() override;
  void update_during_fluxes() override { update_interior(); }
  void finish_fluxes() override;
  void correct(LeafGroup group, double dt) override;
  void start_halos() override;
  void update_rest() override { update_interior(); }
  void fill(mesh::Arrival arrival, double t) override;
  void finish_halos(double t) override;

  void start_levels(const LevelClock& clock, int coarsest, bool, const LevelWork& at_time) override;
  void start_tick() override;
  void advance(const LevelGroup& group, int stage) override;
  void finish_tick() override {}
  void reflux(std::size_t of_clock, int fine_steps) override;
  void wait_for(parallel::MaxReduction& reduction) override;

  solvers::Status status() override;
  bool fills_before_status() const override { return true; }
  solvers::Status inspect(const LeafWork&) override;
  solvers::Status enforce_floors() override;

 private:
  using Group = typename mesh::DevicePatches<D>::LeafGroup;
  void update_interior();
  // Calls work(wait), where wait(messages) waits for other ranks, and adds the time without waits to `seconds`.
  template <class Work>
  void timed(double& seconds, const char* trace_name, const Work& work);
  int level(std::size_t of_clock) const { return coarsest_ + static_cast<int>(of_clock); }

  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  SweepTimes& times_;
  mesh::DevicePatches<D>* device_ = nullptr;  // during a step
  bool is_updated_ = false;
  DeviceBusyTime busy_;

  // Steps by level.
  mesh::DeviceLocalSteps<D>* levels_ = nullptr;
  const LevelClock* clock_ = nullptr;  // null: a step of all leaves
  int coarsest_ = 0;
  LevelWork at_time_;
  std::vector<typename mesh::DeviceLocalSteps<D>::Step> steps_;  // of the levels of a group
};

}  // namespace meander::tasks
