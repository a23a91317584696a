// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The patches of a rank in the memory of its device: slots, flux registers, and the tables of all kernels.
// Each slot of the mesh has a slot here with the same number. All calls submit work to one queue, which runs
// it in order, and return without waiting unless they say otherwise. The device keeps all tables between
// regrids; a step sends only its step data, boundary values and messages.
//
// All functions throw DeviceError. The state on the device is lost then.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/device_array.hpp"
#include "mesh/device_tables.hpp"
#include "mesh/patch_pool.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// What a DevicePatches has done since the start.
struct DeviceCounts {
  std::int64_t launches = 0;                 // of kernels
  std::int64_t stages = 0;                   // of time steps
  std::int64_t bytes_in = 0, bytes_out = 0;  // copied over the link
  std::int64_t rebuilds = 0;                 // of the tables
};

template <int D>
class DevicePatches {
 public:
  // What the tables are made from. All belong to the mesh and live until the next rebuild().
  struct Mesh {
    const HaloPlan<D>& halos;
    const FluxCorrection<D>& fluxes;
    const LocalView<D>& view;
    std::span<const solvers::PatchTask> patches;  // geometry
    std::span<const int> slots;                   // of own leaves
    std::size_t capacity;                         // of the pool of slots
    std::span<const std::int32_t> order, order_index;
    std::size_t border;
    std::size_t halo_send, halo_receive, flux_send, flux_receive;  // sizes of messages in doubles
  };

  // All outlive this. Throws InputError if solver or boundary conditions have no kernels for the device.
  DevicePatches(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                const BoundaryFill<D>& boundaries, gpu::Device& device, gpu::Resource& memory);
  ~DevicePatches();

  // Makes room for all slots and uploads the tables. Slots keep their contents. Throws gpu::OutOfMemory.
  void rebuild(const Mesh& mesh);

  // Copies whole slots, without stage blocks: slot number slots[i] to or from the host's slot at host[i].
  // Returns after the copies have ended.
  void send(std::span<const int> slots, std::span<double* const> host);
  void fetch(std::span<const int> slots, std::span<double* const> host);

  // ---- the sweeps of one stage, in this order
  enum class LeafGroup { border, interior };
  struct Stage {
    int number = 0;
    double t = 0, dt = 0;
  };
  void begin(const Stage& stage);  // uploads the step data
  void update(LeafGroup group);
  // Packs into the host buffer `to`; wait_for_packed() returns when it is complete.
  void pack_fluxes(double* to);
  void receive_fluxes(const double* from);
  void reflux(LeafGroup group);
  void pack_halos(double* to);
  void wait_for_packed();
  void prepare_given(double t, ThreadTeam& team);  // the boundary values of the scenario
  void fill_local();
  void receive_halos(const double* from);
  void fill_received();
  // Merges the status of all leaves, and waits for it.
  solvers::MergedStatus status();

  const DeviceCounts& counts() const { return counts_; }
  gpu::Device& device() { return device_; }
  std::size_t bytes() const;  // device memory of slots, and of tables and buffers

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  struct Range {
    std::size_t begin, end;
  };
  void reserve(std::size_t slots);
  double* slot(int number) const { return slots_[static_cast<std::size_t>(number)]; }
  void upload_patches(const Mesh& mesh);
  void launch(const char* name, const solvers::ResidentBatch& batch);
  void launch(const char* name, const solvers::GeneralBatch& batch);
  void fill(int group);
  void copy(gpu::Copy direction, void* to, const void* from, std::size_t doubles);
  Range range(LeafGroup group) const;

  const solvers::Solver& solver_;
  const solvers::PatchLayout layout_;
  const BoundaryFill<D>& boundaries_;
  gpu::Device& device_;
  gpu::Resource& memory_;
  const gpu::Queue queue_;
  gpu::Event packed_, given_sent_, received_halos_;

  struct Chunk {
    double* memory;
    std::size_t bytes;
  };
  std::vector<Chunk> chunks_;
  std::vector<double*> slots_;  // by number
  std::unique_ptr<PatchPool> ghost_pool_;
  Array<double> next_, registers_, received_, packed_halos_, packed_fluxes_, given_, signs_;
  Array<std::byte> step_data_, scratch_;
  Array<solvers::DevicePatch> patches_;
  Array<solvers::PatchStatus> status_;
  Array<std::int32_t> leaf_;
  Array<solvers::MergedStatus> merged_;
  Array<solvers::FillTarget> fill_targets_;
  Array<solvers::FillOp> fill_ops_;
  Array<solvers::FillPart> fill_parts_;
  Array<solvers::PackItem> pack_items_;
  Array<solvers::RefluxTarget> reflux_targets_;
  Array<solvers::CoarseFace> reflux_faces_;
  Array<solvers::FluxPart> reflux_parts_;
  Array<solvers::FluxPackItem> flux_items_;

  std::int32_t group_begin_[FillTables<D>::groups + 1] = {};
  std::vector<GivenBox<D>> given_boxes_;
  std::vector<double> given_values_;
  std::vector<solvers::PatchTask> geometry_;
  std::size_t leaves_ = 0, border_ = 0, border_targets_ = 0, flux_receive_ = 0;
  bool radiates_ = false;
  Stage stage_;
  solvers::MergedStatus result_;
  DeviceCounts counts_;
};

}  // namespace meander::mesh
