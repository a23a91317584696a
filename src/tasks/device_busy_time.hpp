// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The load of a rank whose patches live on a device: its time without waits for other ranks, shared by its leaves
// according to their updates.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/trace.hpp"
#include "mesh/device_messages.hpp"
#include "mesh/patch_mesh.hpp"

namespace meander::tasks {

class DeviceBusyTime {
 public:
  void start() {
    updates_ = {};
    busy_ = {};
    since_ = Clock::now();
  }
  void count_update(int level) { ++updates_[static_cast<std::size_t>(level)]; }
  // Waits for other ranks. This outlives the function that is returned.
  mesh::WaitForRanks waiting(const char* trace_name) {
    return [this, trace_name](parallel::NeighbourMessages& messages) {
      const trace::Scope scope(trace_name);
      busy_ += Clock::now() - since_;
      messages.wait();
      since_ = Clock::now();
    };
  }
  // Adds the costs of the leaves since start() or the last call.
  template <int D>
  void charge(mesh::PatchMesh<D>& mesh) {
    busy_ += Clock::now() - since_;
    since_ = Clock::now();
    if (mesh.measures_cost())
      share(mesh);  // the host's work in a step does not grow with the leaves otherwise
    updates_ = {};
    busy_ = {};
  }

 private:
  template <int D>
  void share(mesh::PatchMesh<D>& mesh) const {
    const auto updates = [&](int level) { return updates_[static_cast<std::size_t>(level)]; };
    std::int64_t all = 0;
    for (const int level : mesh.levels()) all += updates(level);
    const double of_update =
        std::chrono::duration<double>(busy_).count() / static_cast<double>(std::max(all, std::int64_t{1}));
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf)
      mesh.add_cost(leaf, of_update * static_cast<double>(updates(mesh.levels()[leaf])));
  }

  using Clock = std::chrono::steady_clock;
  std::array<std::int64_t, solvers::Status::most_levels> updates_{};  // of each level of the tree
  Clock::duration busy_{};                                            // until since_
  Clock::time_point since_;
};

}  // namespace meander::tasks
