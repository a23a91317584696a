// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of patches that live on a device, by the schedule of LocalTraversal. A tick is a few launches
// on one queue, whatever the number of leaves: one for states and figures between levels, one or more for halos,
// one for each level that begins a step, and one for each level whose step ends. The host waits for the device
// where it exchanges messages, and where ratios are chosen.

#include "mesh/device_levels.hpp"
#include "tasks/device_busy_time.hpp"
#include "tasks/local_traversal.hpp"

namespace meander::tasks {

template <int D>
class DeviceLocalTraversal final : public LocalTraversal<D> {
 public:
  // As LocalTraversal, for a mesh whose patches live on a device.
  using LocalTraversal<D>::LocalTraversal;

 private:
  using Base = LocalTraversal<D>;
  using Base::clock_, Base::level, Base::levels_, Base::mesh_, Base::solver_, Base::team_, Base::times_;

  void advance_levels(bool is_first) override;
  void end_step(std::size_t of_clock, int fine_steps) override;
  solvers::Status merged() override;

  mesh::DeviceLevels<D>* device_ = nullptr;
  DeviceBusyTime busy_;
};

}  // namespace meander::tasks
