// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a run for scenarios, diagnostics and refinement criteria.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread_team.hpp"
#include "base/vec.hpp"
#include "parallel/communicator.hpp"
#include "simulation/mirrors.hpp"
#include "solvers/gather.hpp"
#include "solvers/resident.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// With local time steps, at the beginning of a step of the levels `first` and finer, which stand at the same time t. Coarser levels
// stand at the end of their step.
struct LevelTimes {
  int first = 0;
  std::span<const double>
      passed;  // by level: the fraction of its step that has passed at t; 0 from `first` on
};

// Where the patches live. The defaults are those of patches in host memory whose halos are complete.
class StateSource {
 public:
  virtual ~StateSource() = default;
  // Copies patches on a device to the host, unless that has happened since they changed. Called by any thread.
  virtual void bring_home(const char*) const {}
  // Fills also the edges and corners of the halos of leaves with marked[leaf] != 0, on the device if the patches live
  // there; halos across faces are always full. Halos are derived data: the state does not change. Collective.
  virtual void fill_whole_halos(std::span<const char> /*marked*/) const {}
  // The following work where patches live on a device. False or none: they do not, or it is not possible there.
  // Sets the sums of a batch (mesh::DevicePatches::sum_shells).
  virtual bool sum_shells(const solvers::ShellBatch&, std::span<std::uint64_t>) const { return false; }
  // The sums of all unknowns over the interior of every leaf: [leaf][unknown].
  virtual std::optional<std::vector<double>> sum_leaves() const { return {}; }
  // The measure of every leaf.
  virtual std::optional<std::vector<double>> measure_leaves(const solvers::LeafMeasure&) const { return {}; }
  // Samples at points of leaves (mesh::DevicePatches::gather).
  virtual bool gather_points(std::span<const solvers::PointInPatch>, const solvers::PointQuery&,
                             std::span<double>) const {
    return false;
  }
  // The halos of a leaf that are less accurate than its state (inexact_halos.hpp).
  virtual std::uint32_t inexact_halos(std::size_t /*leaf*/) const { return 0; }
  // Whether patches of any rank may live on a device; equal on all ranks.
  virtual bool uses_devices() const { return false; }
};
inline const StateSource host_state;
inline const Mirrors no_mirrors;

// The patches of this rank, in host memory. If they live on a device, the first access to a patch after a
// step brings all of them home. Any thread may access them.
class HomePatches {
 public:
  // `away`: they live on a device, and are brought home for this reason; null: they are at home.
  template <class Patches>
  HomePatches(const Patches& patches, const StateSource* away = nullptr, const char* reason = "")
      : patches_(patches), away_(away), reason_(reason) {}
  std::size_t size() const { return patches_.size(); }
  const solvers::PatchTask& operator[](std::size_t leaf) const { return all()[leaf]; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  std::span<const solvers::PatchTask> all() const {
    if (away_ != nullptr) away_->bring_home(reason_);
    return patches_;
  }
  // Positions and widths only: brings nothing home.
  std::span<const solvers::PatchTask> geometry() const { return patches_; }

 private:
  std::span<const solvers::PatchTask> patches_;
  const StateSource* away_;
  const char* reason_;
};

// Numbers of volumes that are known beside the state.
class NumbersBeside {
 public:
  // n: index in Traits::beside_names. leaf: an own one. volume: number in the patch, x fastest. Concurrently.
  virtual double number_beside(int n, std::size_t leaf, std::ptrdiff_t volume) const = 0;

 protected:
  ~NumbersBeside() = default;
};

// All patches of this rank in curve order, and the threads for loops over them. Valid between steps only.
struct StateView {
  const parallel::Communicator& communicator;
  const solvers::PatchLayout& layout;
  HomePatches patches;
  std::span<const int> levels;
  std::span<const std::int64_t> numbers = {};  // of the leaves among all ranks' along the curve
  double t = 0;
  ThreadTeam& team;
  std::span<const double> level_dx;  // by level: width of a volume, 0 where no rank has leaves of that level
  std::span<const Point<3>> tracked_points = {};  // the points that diagnostics follow, at time t
  const StateSource* source = &host_state;
  const Mirrors* mirrors = &no_mirrors;   // with the signs of the unknowns
  const NumbersBeside* beside = nullptr;  // null: there are none
};

// A column of history.csv.
struct Measure {
  std::string name, unit;
  double value = 0;
};

}  // namespace meander::simulation
