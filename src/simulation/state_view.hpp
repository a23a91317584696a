// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a run for scenarios, diagnostics and refinement criteria.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "base/vec.hpp"
#include "parallel/communicator.hpp"
#include "solvers/gather.hpp"
#include "solvers/resident.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// The patches of this rank, in host memory. If they live on a device, the first access to a patch after a
// step brings all of them home. Any thread may access them.
class HomePatches {
 public:
  HomePatches() = default;
  template <class Patches>
  HomePatches(const Patches& patches, std::function<void()> bring_home = {})
      : patches_(patches), bring_home_(std::move(bring_home)) {}
  std::size_t size() const { return patches_.size(); }
  const solvers::PatchTask& operator[](std::size_t leaf) const { return all()[leaf]; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  std::span<const solvers::PatchTask> all() const {
    if (bring_home_) bring_home_();
    return patches_;
  }
  // Positions and widths only: brings nothing home.
  std::span<const solvers::PatchTask> geometry() const { return patches_; }

 private:
  std::span<const solvers::PatchTask> patches_;
  std::function<void()> bring_home_;  // null: they are at home
};

// All patches of this rank in curve order, and the threads for loops over them. Valid between steps only.
struct StateView {
  const parallel::Communicator& communicator;
  const solvers::PatchLayout& layout;
  HomePatches patches;
  std::span<const int> levels;
  double t = 0;
  ThreadTeam& team;
  std::span<const double> level_dx;  // by level: width of a volume, 0 where no rank has leaves of that level
  std::span<const Point<3>> tracked_points = {};  // the points that diagnostics follow, at time t
  // Fills also the edges and corners of the halos of leaves with marked[leaf] != 0, on the device if the patches live
  // there; halos across faces are always full. Halos are derived data: the state does not change. Empty: all halos are
  // already complete. Collective.
  std::function<void(std::span<const char>)> fill_whole_halos = {};
  // Sets the sums of a batch (mesh::DevicePatches::sum_shells) if the patches live on a device; null, or false:
  // they do not.
  std::function<bool(const solvers::ShellBatch&, std::span<std::uint64_t>)> sum_shells = {};
  // The sums of all unknowns over the interior of every leaf, computed where the patches live on a device:
  // [leaf][unknown]; null, or none: they do not.
  std::function<std::optional<std::vector<double>>()> sum_leaves = {};
  // The measure of every leaf, computed where the patches live on a device; null, or none: not possible there.
  std::function<std::optional<std::vector<double>>(const solvers::LeafMeasure&)> measure_leaves = {};
  std::span<const std::uint32_t> inexact_halos =
      {};  // of each leaf (inexact_halos.hpp); empty: all halos are exact
  // Samples at points of leaves (mesh::DevicePatches::gather), if the patches live on a device; false: they do not. Null on
  // all ranks or on none.
  std::function<bool(std::span<const solvers::PointInPatch>, const solvers::PointQuery&, std::span<double>)>
      gather_points = {};
};

// A column of history.csv.
struct Measure {
  std::string name, unit;
  double value = 0;
};

}  // namespace meander::simulation
