// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of patches that live on a device: what LocalSteps is on the host, as tables and launches.
// The plans are those of LocalSteps. A table of the leaves is ordered by level, so that a launch updates the
// leaves of a level or of a group of levels, with their shadows. States of the next coarser level within its
// step are combined in time
// - means: in one launch with all else that happens between updates (solvers::LevelBatch);
// - point values: in the launch that fills the halos that read them (solvers::DenseFillBatch).
//
// A step of levels first to last is keep(), and for each stage fill() and update(). Means: there is one stage, and each level has a
// time step of its own.
//
// All functions throw DeviceError. Work goes to the queue of DevicePatches and nothing waits, unless a
// function says otherwise.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mesh/device_cuts.hpp"
#include "mesh/device_patches.hpp"
#include "mesh/peano_curve.hpp"

namespace meander::mesh {

// The own leaves of a rank by level, from the coarsest, and in curve order within a level: the order of the tables
// on devices, in which a level is a range.
class LevelOrder {
 public:
  LevelOrder() = default;
  // cells: of the own leaves; all their levels lie between coarsest and finest.
  template <int D>
  LevelOrder(std::span<const Cell<D>> cells, int coarsest, int finest) : index_of_(cells.size()) {
    leaf_of_.reserve(cells.size());
    for (int level = coarsest; level <= finest; ++level) {
      first_.push_back(leaf_of_.size());
      for (std::size_t leaf = 0; leaf < cells.size(); ++leaf) {
        if (cells[leaf].level != level) continue;
        index_of_[leaf] = static_cast<std::int32_t>(leaf_of_.size());
        leaf_of_.push_back(static_cast<std::int32_t>(leaf));
      }
    }
    first_.push_back(leaf_of_.size());
  }

  // The leaf at each place, and the place of each leaf.
  const std::vector<std::int32_t>& leaf_of() const { return leaf_of_; }
  const std::vector<std::int32_t>& index_of() const { return index_of_; }
  std::int32_t index_of(std::int32_t leaf) const { return index_of_[static_cast<std::size_t>(leaf)]; }

  std::size_t size() const { return leaf_of_.size(); }
  std::size_t levels() const { return first_.size() - 1; }
  // Places first(level) to first(level + 1) are those of a level, counted from the coarsest.
  std::size_t first(std::size_t level) const { return first_[level]; }
  std::size_t count(std::size_t level) const { return first_[level + 1] - first_[level]; }

 private:
  std::vector<std::int32_t> leaf_of_, index_of_;
  std::vector<std::size_t> first_;
};

template <int D>
class DeviceLocalSteps {
 public:
  using Mesh = typename DevicePatches<D>::Mesh;
  // Of a level: number `substep` within that of the next coarser one.
  struct Step {
    double t = 0, dt = 0;
    int substep = 0;
  };

  // Uploads the tables for a mesh, after DevicePatches::rebuild(); those of halos only if the solver has
  // means. All outlive this, `mesh` only the call. host_memory: as of DeviceHalos. Throws gpu::OutOfMemory.
  DeviceLocalSteps(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries,
                   std::pmr::memory_resource& host_memory, LocalSteps<D>& steps, const Mesh& mesh);
  ~DeviceLocalSteps();

  // Uploads the tables of the halos of levels first to last, which LocalSteps has made. Throws
  // gpu::OutOfMemory.
  void add(int first, int last);

  // A step of the coarsest level: the status of all leaves is that of the updates from now on.
  void begin_step();
  // As LocalSteps::restrict_from().
  void restrict_from(int level, const WaitForRanks& wait) { cuts_->restrict_from(level, wait); }
  // Means: keeps what finer halos will read of these levels. Without effect on point values, whose rates
  // update() keeps.
  void keep(int first, int last);
  // Fills the halos of a group for time t; means: of all levels from `first` on. at: the stage within the step of the next coarser
  // level, if there is one, whose states of means `then`, if it is not empty, changes before they are read. Waits where messages
  // have to be sent, and by `wait` for other ranks. Collective among neighbours.
  void fill(int first, int last, const solvers::ShortStage& at, double t, ThreadTeam& team,
            const WaitForRanks& wait, const std::function<void(int level)>& then = {});
  // The slot of the state within its step of a source of CoarseInTime, by number.
  double* combined(std::size_t source) const;
  // Updates the leaves and shadows of a group by a stage, in one launch for all levels with the same step.
  // steps: of each level; point values: all equal. Uploads the step data of the solver in the first stage.
  void update(int first, int last, int stage, std::span<const Step> steps);
  // Means: at the end of a step dt of a level, in which the next finer level took `steps` steps: exchanges
  // sums of fluxes with other ranks, then corrects the leaves of the level. Waits and is collective as
  // fill().
  void reflux(int level, double dt, int steps, const WaitForRanks& wait);
  // The status of all leaves after the last stages of the updates since begin_step(). Waits.
  solvers::Status status();

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  using Item = solvers::LevelItem;
  using Items = std::vector<Item>;
  using Range = solvers::LevelBatch::Range;
  using Begins = std::vector<std::int32_t>;  // the first item of each level, and the end
  // Levels that have their halos filled together.
  struct Group {
    // Its leaves, a range of the table; with shadows: a copy of the range, and the shadows.
    const solvers::DevicePatch* patches = nullptr;
    std::size_t count = 0;
    Array<solvers::DevicePatch> with_shadows;
    DeviceHalos<D> halos;
    // Point values: the combined states. The slots of the first `shared` targets are those of the first
    // halos.
    std::int32_t shared = 0;
    Array<solvers::FillTarget> combined;
    Array<solvers::DenseOp> ops;
    Array<solvers::DenseSource> sources;

    Group(DeviceLaunches& launches, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
          std::pmr::memory_resource& host_memory)
        : with_shadows(launches.device, memory),
          halos(launches, launches, boundaries, memory, host_memory),
          combined(launches.device, memory),
          ops(launches.device, memory),
          sources(launches.device, memory) {}
  };
  std::size_t index(int level) const { return static_cast<std::size_t>(level - steps_.coarsest()); }
  solvers::DevicePatch patch_of(std::int32_t leaf) const {
    return table_.host()[static_cast<std::size_t>(order_.index_of(leaf))];
  }
  // Of CoarseInTime::sources() of a level, by number: what is kept, and the slot of the combined state.
  double* kept(int level, std::size_t source) const;

  void upload_patches(const Mesh& mesh);
  void allocate();
  void upload_items();
  void add_sources(Items& items, int level, Item::Kind kind, int stage) const;
  void add_status(Items& items, int level) const;
  void add_shadows(Group& group, int first, int last);
  void add_halos(Group& group, int first, int last);
  // Replaces copies of combined states to a halo by operations that combine.
  void replace_copies(const solvers::FillTarget& halo, std::span<solvers::FillOp> fill,
                      std::span<const solvers::DenseSource> sources,
                      std::vector<solvers::DenseOp>& ops) const;

  Range range(const Begins& begins, int first, int last) const {
    const std::int32_t begin = begins[index(first)];
    return {begin, begins[index(last) + 1] - begin};
  }
  void add_to_batch(Range range);
  // Launches what is in the batch, and the sums of status and fluxes of the last update.
  void submit();
  // The combined states alone, or with the fill that needs no messages.
  void combine(const Group& group, const solvers::ShortStage& at, const solvers::FillBatch& fill);

  DevicePatches<D>& patches_;
  DeviceLaunches& launches_;
  const BoundaryFill<D>& boundaries_;
  std::pmr::memory_resource& host_memory_;
  LocalSteps<D>& steps_;
  const bool has_points_;  // else means

  LevelOrder order_;                   // of the table
  Array<solvers::DevicePatch> table_;  // leaves by level, from the coarsest
  Array<std::int32_t> leaf_;           // number of each
  // status_: by place in the table. The shadows of a group follow its leaves, over the status of finer
  // levels, whose sums are made before.
  Array<solvers::PatchStatus> status_, status_sums_;
  Array<double> kept_;                   // states or rates, of all levels
  Array<double> combined_;               // slots; halos of one group are filled at a time
  Array<double> next_;                   // new interiors of shadows
  std::vector<std::size_t> first_kept_;  // by level
  std::deque<DeviceReflux<D>> reflux_;   // means: by level
  std::optional<DeviceCuts<D>> cuts_;    // point values
  Array<Item> items_;
  Begins keeps_[2], interpolations_, sums_;  // keeps: by stage
  std::map<std::pair<int, int>, std::unique_ptr<Group>> groups_;

  solvers::LevelBatch batch_;  // of the next submit()
  int ranges_ = 0;
  std::optional<std::pair<int, int>> updated_;  // levels whose sums wait for the next submit()
  int without_sums_ = 0;                        // the coarsest level without sums in this step
};

}  // namespace meander::mesh
