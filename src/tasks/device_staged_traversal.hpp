// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of a Runge-Kutta solver of point values, for patches that live on a device, by the schedule of
// StagedTraversal: a few launches for each stage of a group of levels, whatever the number of leaves. The host waits
// for the device where it exchanges messages, and where ratios are chosen.

#include "mesh/device_groups.hpp"
#include "tasks/device_busy_time.hpp"
#include "tasks/local_traversal.hpp"

namespace meander::tasks {

template <int D>
class DeviceStagedTraversal final : public LocalTraversal<D> {
 public:
  // As StagedTraversal, for a mesh whose patches live on a device.
  using LocalTraversal<D>::LocalTraversal;

 private:
  using Base = LocalTraversal<D>;
  using Base::clock_, Base::counts_, Base::level, Base::levels_, Base::mesh_, Base::solver_, Base::team_,
      Base::times_;

  void advance_levels(bool is_first) override;
  void end_step(std::size_t, int) override {}
  solvers::Status merged() override;
  // One step of levels first to last, by their number in the clock.
  void advance_group(std::size_t first, std::size_t last);

  mesh::DeviceGroups<D>* device_ = nullptr;
  DeviceBusyTime busy_;
};

}  // namespace meander::tasks
