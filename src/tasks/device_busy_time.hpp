// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The load of a rank whose patches live on a device, in local steps: its time without waits for other ranks, shared
// by its leaves according to their updates.

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/timer.hpp"
#include "mesh/device_messages.hpp"
#include "mesh/patch_mesh.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

class DeviceBusyTime {
 public:
  void start(std::size_t levels) {
    updates_.assign(levels, 0);
    busy_ = {};
    since_ = Clock::now();
  }
  // Levels count from that of the coarsest leaves.
  void count_update(std::size_t level) { ++updates_[level]; }
  // Waits for other ranks, and adds that time to `times`. Both outlive the function that is returned.
  mesh::WaitForRanks waiting(SweepTimes& times, const char* trace_name) {
    return [this, &times, trace_name](parallel::NeighbourMessages& messages) {
      const Timer timer(times.waiting, times.messages, trace_name);
      busy_ += Clock::now() - since_;
      messages.wait();
      since_ = Clock::now();
    };
  }
  // Adds the costs of the leaves since start() or the last call. leaves_of(level): the number of this rank's leaves.
  template <int D, class LeavesOf>
  void charge(mesh::PatchMesh<D>& mesh, int coarsest, const LeavesOf& leaves_of) {
    busy_ += Clock::now() - since_;
    since_ = Clock::now();
    std::int64_t all = 0;
    for (std::size_t l = 0; l < updates_.size(); ++l)
      all += updates_[l] * static_cast<std::int64_t>(leaves_of(coarsest + static_cast<int>(l)));
    if (mesh.measures_cost() && all > 0) {
      const double of_update = std::chrono::duration<double>(busy_).count() / static_cast<double>(all);
      for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf)
        mesh.add_cost(leaf,
                      of_update * static_cast<double>(
                                      updates_[static_cast<std::size_t>(mesh.levels()[leaf] - coarsest)]));
    }
    updates_.assign(updates_.size(), 0);
    busy_ = {};
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<std::int64_t> updates_;  // of each level
  Clock::duration busy_{};             // until since_
  Clock::time_point since_;
};

}  // namespace meander::tasks
