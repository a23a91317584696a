// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of several stages for patches that live on a device: what LocalSteps is on the host, as
// tables and launches. The plans are those of LocalSteps. Each group of levels has a table of its patches, leaves
// by level and then shadows, so that one launch updates them. States of the next coarser level within its step are
// combined in the launch that fills the halos that read them (solvers::DenseFillBatch).
//
// All functions throw DeviceError. Work goes to the queue of DevicePatches and nothing waits, unless a function
// says otherwise.

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mesh/device_cuts.hpp"
#include "mesh/device_patches.hpp"
#include "mesh/level_order.hpp"

namespace meander::mesh {

template <int D>
class DeviceGroups {
 public:
  using Mesh = typename DevicePatches<D>::Mesh;
  using Stage = typename DevicePatches<D>::Stage;

  // Uploads the tables that all groups of a mesh share, after DevicePatches::rebuild(). All outlive this, `mesh`
  // only the call. host_memory: as of DeviceHalos. Throws gpu::OutOfMemory.
  DeviceGroups(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
               std::pmr::memory_resource& host_memory, LocalSteps<D>& steps, const Mesh& mesh);
  ~DeviceGroups();

  // Uploads the tables of the group of levels first to last, which LocalSteps has made. Throws gpu::OutOfMemory.
  void add(int first, int last);

  // A step of the coarsest level: the status of all leaves is that of the updates from now on.
  void begin_step();
  // As LocalSteps::restrict_from().
  void restrict_from(int level, const WaitForRanks& wait) { cuts_->restrict_from(level, wait); }
  // Fills the halos of a group for time t. at: the stage within the step of the next coarser level, if there is one.
  // Waits where messages have to be sent. Collective among neighbours.
  void fill(int first, int last, const solvers::ShortStage& at, double t, ThreadTeam& team,
            const WaitForRanks& wait);
  // Updates the leaves and shadows of a group by a stage, and keeps the rates that finer halos will read.
  void update(int first, int last, const Stage& stage);
  // The status of all leaves after the last stages of the updates since begin_step(). Waits.
  solvers::Status status();

  std::size_t leaves(int level) const { return order_.count(index(level)); }

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  using Range = solvers::LevelBatch::Range;
  struct Group {
    std::size_t leaves = 0;  // the first patches; shadows follow
    Array<solvers::DevicePatch> patches;
    // What two stages keep, and the sums of the status.
    Array<solvers::LevelItem> items;
    Range keeps[2], status;
    DeviceHalos<D> halos;
    // Combined states. The slots of the first `shared` targets are those of the first halos.
    std::int32_t shared = 0;
    Array<solvers::FillTarget> dense;
    Array<solvers::DenseOp> dense_ops;
    Array<solvers::DenseSource> sources;

    Group(DeviceLaunches& launches, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
          std::pmr::memory_resource& host_memory)
        : patches(launches.device, memory),
          items(launches.device, memory),
          halos(launches, boundaries, memory, host_memory),
          dense(launches.device, memory),
          dense_ops(launches.device, memory),
          sources(launches.device, memory) {}
  };
  std::size_t index(int level) const { return static_cast<std::size_t>(level - steps_.coarsest()); }
  Group& group(int first, int last) { return *groups_.at({first, last}); }
  solvers::DevicePatch patch_of(std::int32_t leaf) const {
    return table_.host()[static_cast<std::size_t>(order_.index_of(leaf))];
  }
  double* combined(std::size_t source) const;
  double* rates_of(int level, const typename CoarseInTime<D>::Source& source) const;

  void order_by_level(const Mesh& mesh);
  void allocate(std::size_t leaves);
  void add_patches(Group& group, int first, int last);
  void add_items(Group& group, int last);
  void add_halos(Group& group, int first, int last);
  struct Dense;
  // The combined states that the halos of levels >= first read, apart from those that edit() adds.
  Dense dense_of(int first, int last) const;
  // Replaces copies of combined states in the fill by operations that combine.
  void edit(Dense& dense, FillTables<D>& tables) const;
  // The combined states alone, or with the fill that needs no messages.
  void combine(Group& group, const solvers::ShortStage& at, const solvers::FillBatch& fill);

  DevicePatches<D>& patches_;
  DeviceLaunches& launches_;
  const BoundaryFill<D>& boundaries_;
  gpu::Resource& memory_;
  std::pmr::memory_resource& host_memory_;
  LocalSteps<D>& steps_;

  Array<solvers::DevicePatch> table_;  // leaves by level, from the coarsest
  Array<std::int32_t> leaf_;           // number of each
  LevelOrder order_;                   // of the table
  std::vector<char> is_counted_;       // by level: its status has a sum
  // By patch of a group; by leaf of the table.
  Array<solvers::PatchStatus> status_, status_sums_;
  std::optional<DeviceCuts<D>> cuts_;
  Array<double> next_;                   // new interiors of shadows
  Array<double> kept_;                   // rates of all levels
  Array<double> combined_;               // slots; halos of one group are filled at a time
  std::vector<std::size_t> first_rate_;  // by level
  std::map<std::pair<int, int>, std::unique_ptr<Group>> groups_;
};

}  // namespace meander::mesh
