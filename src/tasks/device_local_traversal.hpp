// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of patches that live on a device, by the schedule of LocalTraversal (means) or
// StagedTraversal (point values). A tick is a few launches on one queue, whatever the number of leaves:
// - means: one for states and sums between levels, one or more for halos, one for each level that begins a
//   step, and one for each level whose step ends;
// - point values: for each stage of a group of levels, one or more for halos, one for updates and one for
//   rates or sums.
// The host waits for the device where it exchanges messages, and where ratios are chosen.

#include <vector>

#include "mesh/device_local_steps.hpp"
#include "tasks/device_busy_time.hpp"
#include "tasks/local_traversal.hpp"

namespace meander::tasks {

template <int D>
class DeviceLocalTraversal final : public LocalTraversal<D> {
 public:
  // As LocalTraversal, for a mesh whose patches live on a device, and for any solver with local steps.
  using LocalTraversal<D>::LocalTraversal;

 private:
  using Base = LocalTraversal<D>;
  using Base::clock_, Base::counts_, Base::level, Base::levels_, Base::mesh_, Base::solver_, Base::team_,
      Base::times_;
  enum class Halos { full, old };  // before the first stage

  void advance_levels(bool is_first) override;
  void end_step(std::size_t of_clock, int fine_steps) override;
  solvers::Status merged() override;
  // One step of levels first to last, by their number in the clock.
  void advance_group(std::size_t first, std::size_t last, Halos halos);
  // Calls work(wait) and counts its time, without that of wait(), as that of halos.
  template <class Work>
  void fill_by(const Work& work);

  mesh::DeviceLocalSteps<D>* device_ = nullptr;
  std::vector<typename mesh::DeviceLocalSteps<D>::Step> steps_;  // of the levels of a group
  DeviceBusyTime busy_;
};

}  // namespace meander::tasks
