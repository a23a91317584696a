// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of patches that live on a device: what LocalSteps is on the host, as tables and launches.
// The plans are those of LocalSteps. A second table of the patches is ordered by level, so that a launch
// updates the leaves of a level. What LocalSteps does beside updates, fills and corrections is done by a
// single launch between them (solvers::LevelBatch).
//
// All functions throw DeviceError. Work goes to the queue of DevicePatches and nothing waits, unless a function
// says otherwise.

#include <memory>
#include <span>
#include <vector>

#include "mesh/device_patches.hpp"
#include "mesh/level_order.hpp"
#include "mesh/local_steps.hpp"

namespace meander::mesh {

template <int D>
class DeviceLevels {
 public:
  // All outlive this. host_memory: as of DeviceHalos.
  DeviceLevels(DevicePatches<D>& patches, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
               std::pmr::memory_resource& host_memory);
  ~DeviceLevels();

  // Uploads the tables for a mesh, after DevicePatches::rebuild(). `steps` lives until the next call. Throws
  // gpu::OutOfMemory.
  void rebuild(LocalSteps<D>& steps, const typename DevicePatches<D>::Mesh& mesh);

  // A step of the coarsest level, with all status at zero.
  void begin_step();
  // A tick: uploads the step data of the solver.
  void begin_tick();
  // Sets what the halos of levels >= first read of the next coarser level, whose step has passed by theta.
  void interpolate(int first, double theta);
  // Keeps what finer halos will read of levels >= first. interpolate() and keep() may share a launch, which
  // submit() makes, with what update() has left.
  void keep(int first);
  void submit();
  // The halos of levels >= first > coarsest.
  DeviceHalos<D>& halos(int first) { return *halos_[index(first) - 1]; }
  // Updates the leaves of a level for its step number `substep` within that of the next coarser one.
  void update(int level, double t, double dt, int substep);

  // At the end of a step dt of a level, in which the next finer level took `steps` steps: exchanges sums of fluxes with
  // other ranks, then corrects the leaves of the level. Waits where messages have to be sent, and by `wait` for other
  // ranks. Collective among neighbours.
  void reflux(int level, double dt, int steps, const WaitForRanks& wait);

  // The status of all leaves over the updates since begin_step(). Waits.
  solvers::Status status();

  std::size_t leaves(int level) const { return order_.count(index(level)); }

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  using Item = solvers::LevelItem;
  using Range = solvers::LevelBatch::Range;
  // Between a level and the next finer one.
  struct Jump {
    std::size_t registers = 0, sums = 0, kept = 0;            // where its blocks begin
    std::int32_t keeps = 0, interpolations = 0, sources = 0;  // first items, and their number
    std::int32_t targets = 0, corrected = 0;                  // first target of refluxing, and their number
    std::unique_ptr<DeviceMessages> messages;                 // sums of fluxes
  };
  std::size_t index(int level) const { return static_cast<std::size_t>(level - steps_->coarsest()); }
  // The coarse level of a jump, and what LocalSteps has there.
  int level_of(std::size_t jump) const { return steps_->coarsest() + static_cast<int>(jump); }
  LevelExchange<D>& exchange_at(std::size_t jump) const { return steps_->exchange(level_of(jump) + 1); }
  CoarseInTime<D>& coarse_at(std::size_t jump) const { return steps_->coarse(level_of(jump)); }
  FluxCorrection<D>& fluxes_at(std::size_t jump) const { return steps_->fluxes(level_of(jump)); }
  double* interpolated(std::size_t source) const;

  struct Tables;
  solvers::DevicePatch& patch_of(Tables& tables, std::int32_t leaf) const;
  void order_by_level(Tables& tables, const typename DevicePatches<D>::Mesh& mesh);
  void allocate();
  void add_keeps(Tables& tables, std::size_t jump);
  void add_interpolations(Tables& tables, std::size_t jump);
  void add_status(Tables& tables, std::size_t level);
  void add_fluxes(Tables& tables, std::size_t jump);
  void add_corrections(Tables& tables, std::size_t jump);
  void rebuild_halos(Tables& tables, std::size_t jump, const typename DevicePatches<D>::Mesh& mesh);

  void add_range(Range range);

  DevicePatches<D>& patches_;
  DeviceLaunches& launches_;
  const BoundaryFill<D>& boundaries_;
  gpu::Resource& memory_;
  std::pmr::memory_resource& host_memory_;
  LocalSteps<D>* steps_ = nullptr;

  Array<solvers::DevicePatch> table_;  // by level, from the coarsest
  Array<std::int32_t> leaf_;           // number of each
  Array<solvers::PatchStatus> status_, status_sums_;
  Array<double> registers_, sums_, kept_, interpolated_;
  Array<Item> items_;
  Array<solvers::RefluxTarget> targets_;
  Array<solvers::CoarseFace> faces_;
  Array<solvers::FluxPart> parts_;
  std::vector<std::unique_ptr<DeviceHalos<D>>> halos_;
  std::vector<Jump> jumps_;
  LevelOrder order_;                        // of the table
  std::vector<std::int32_t> first_figure_;  // items of each level, and the number of all
  // The next submit().
  solvers::LevelBatch next_;
  int ranges_ = 0, pending_ = -1;  // levels from pending_ on have updates whose figures wait; -1: none
};

}  // namespace meander::mesh
