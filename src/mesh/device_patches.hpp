// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The patches of a rank in the memory of its device: slots, flux registers, and the tables of all kernels.
// Each slot of the mesh has a slot here with the same number. All calls submit work to a queue, which runs it in order,
// and return without waiting unless they say otherwise. A second, urgent queue updates and corrects the border leaves and
// packs what is sent of them, so that no message waits for the interior. The device keeps all tables between regrids; a
// step sends only its step data, boundary values and messages.
//
// All functions throw DeviceError. The state on the device is lost then.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/device_array.hpp"
#include "mesh/device_halos.hpp"
#include "mesh/device_readings.hpp"
#include "mesh/device_reflux.hpp"
#include "mesh/facts.hpp"
#include "mesh/step_exchange.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
class DevicePatches {
 public:
  // What the tables are made from. All belong to the mesh and live until the next rebuild().
  struct Mesh {
    StepExchange<D>& exchange;
    const LocalView<D>& view;
    std::span<const solvers::PatchTask> patches;  // geometry
    std::span<const int> slots;                   // of own leaves
  };

  // All outlive this. host_memory: as of DeviceHalos. in_place: DeviceLaunches::messages_in_place. Throws InputError if the solver
  // has no kernels for the device.
  DevicePatches(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                const BoundaryFill<D>& boundaries, gpu::Device& device, gpu::Resource& memory,
                std::pmr::memory_resource& host_memory, bool in_place = false);
  ~DevicePatches();

  // Makes room for slots 0 .. slots - 1, which keep their contents. Throws gpu::OutOfMemory.
  void reserve(std::size_t slots);
  // Uploads the tables, after reserve(). Throws gpu::OutOfMemory.
  void rebuild(const Mesh& mesh, const ThreadTeam& team);

  // Copies whole slots, without stage blocks: slot number slots[i] to or from the host's slot at host[i], by way of
  // page-locked buffers. Returns after the copies have ended.
  void send(std::span<const int> slots, std::span<double* const> host);
  void fetch(std::span<const int> slots, std::span<double* const> host);
  // The same as send() for their fields alone.
  void send_fields(std::span<const int> slots, std::span<double* const> host);

  // ---- a step
  enum class LeafGroup { border, interior };
  struct Stage {
    int number = 0;
    double t = 0, dt = 0;
  };
  void begin(const Stage& stage);  // uploads the step data
  // Update, reflux() and messages of the border leaves go to the urgent queue.
  void update(LeafGroup group);
  // The same for patches of another table of the device, and for the status of all leaves in another order.
  void update(const solvers::DevicePatch* patches, solvers::PatchStatus* status, std::size_t count,
              const Stage& stage);
  solvers::Status merge(const solvers::DevicePatch* patches, const solvers::PatchStatus* status,
                        const std::int32_t* leaf);
  // Without messages if the solver is not conservative. reflux() corrects the leaves after pack() and the arrival of messages.
  DeviceReflux<D>& fluxes() { return reflux_; }
  void reflux(LeafGroup group);
  DeviceHalos<D>& halos() { return halos_; }
  // DeviceHalos::fill_local() after the updates of both groups.
  void fill_local(double t, ThreadTeam& team);
  // Merges the status of all leaves, and waits for it.
  solvers::Status status();

  // What diagnostics and criteria read.
  DeviceReadings& readings() { return readings_; }

  // ---- regridding
  // As Solver::inspect() or, with `enforces`, Solver::enforce_floors() of all leaves.
  solvers::Status inspect(bool enforces);
  // The halos of another plan of the same mesh: uploads its tables. rebuild() forgets them. Throws gpu::OutOfMemory.
  void plan_other_halos(HaloExchange<D>& exchange, const Mesh& mesh, const ThreadTeam& team);
  void forget_other_halos();
  DeviceHalos<D>* other_halos() { return other_halos_.get(); }  // null: not planned, or forgotten
  // New interiors from old slots: parents of coarsened leaves, and children of refined ones.
  struct Coarsened {
    int slot = 0;                 // of the parent, may be that of a child
    std::vector<int> children;    // slots along the curve
    std::vector<Index<D>> child;  // their positions in the parent
  };
  struct Refined {
    int parent = 0;  // slot, may be that of a child
    std::vector<int> children;
    std::vector<Index<D>> child;
  };
  void coarsen(std::span<const Coarsened> leaves);
  void refine(std::span<const Refined> leaves);

  // ---- for work beside the above on the same queue (device_local_steps.hpp)
  // The entry of a patch in a table, with stage blocks after its slot if the solver has any.
  solvers::DevicePatch entry(const solvers::PatchTask& task, double* slot, double* next, int level) const;
  // Before update() with another table: the number of its patches, and whether any has a radiative face. Throws
  // gpu::OutOfMemory.
  void expect(std::size_t patches, bool radiates);
  DeviceLaunches& launches() { return launches_; }  // with the device, and its counts
  gpu::Resource& memory() { return memory_; }
  // The table of the own leaves, in their order.
  std::span<const solvers::DevicePatch> table() const { return patches_.host(); }

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  struct Range {
    std::size_t begin, end;
  };
  double* slot(int number) const { return slots_[static_cast<std::size_t>(number)]; }
  void upload_patches(const Mesh& mesh, const ThreadTeam& team);
  void send(std::span<const int> slots, std::span<double* const> host, std::ptrdiff_t first,
            std::size_t doubles);
  // One operation for each slot.
  struct Moves {
    std::vector<solvers::FillTarget> targets;
    std::vector<solvers::FillOp> ops;
    std::vector<solvers::FillPart> parts;

    solvers::FillOp& add(double* slot) {
      const auto n = static_cast<std::int32_t>(ops.size());
      targets.push_back({slot, n, n + 1});
      return ops.emplace_back();
    }
  };
  void move(Moves moves, const char* name);
  // Memory for one slot of each leaf, beside their own. Waits.
  double* slots_beside(std::size_t leaves);
  Range range(LeafGroup group) const;
  void update(DeviceLaunches& launches, const Array<std::byte>& scratch, const solvers::DevicePatch* patches,
              solvers::PatchStatus* status, std::size_t count, const Stage& stage);
  // The work that follows reads the new states of border leaves.
  void join_border();

  const solvers::Solver& solver_;
  const solvers::PatchLayout layout_;
  const BoundaryFill<D>& boundaries_;
  gpu::Resource& memory_;
  DeviceCounts counts_;
  DeviceLaunches launches_, border_launches_;
  gpu::Event step_data_sent_, border_done_;

  struct Chunk {
    double* memory;
    std::size_t bytes;
  };
  std::vector<Chunk> chunks_;
  std::vector<double*> slots_;  // by number
  Array<double> next_, moved_;
  DeviceReflux<D> reflux_;
  Array<std::byte> step_data_, scratch_, border_scratch_;
  parallel::MessageBuffer step_data_here_;  // page-locked
  Array<solvers::DevicePatch> patches_;
  Array<solvers::PatchStatus> status_;
  Array<std::int32_t> leaf_;
  Array<solvers::Status> merged_;
  // Tables of the two launches of a move.
  struct MoveTables {
    Array<solvers::FillTarget> targets;
    Array<solvers::FillOp> ops;
    Array<solvers::FillPart> parts;
  };
  MoveTables moves_;
  DeviceHalos<D> halos_;
  std::unique_ptr<DeviceHalos<D>> other_halos_;
  DeviceReadings readings_;
  std::size_t leaves_ = 0, border_ = 0;
  bool radiates_ = false;
  Stage stage_;
};

}  // namespace meander::mesh
