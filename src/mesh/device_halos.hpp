// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Executes a HaloPlan on patches that live on a device: tables, message buffers and launches. Submits its work
// to one queue and returns without waiting unless it says otherwise. All functions throw DeviceError.

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/device_array.hpp"
#include "mesh/device_launches.hpp"
#include "mesh/device_tables.hpp"
#include "mesh/patch_pool.hpp"
#include "parallel/neighbour_messages.hpp"

namespace meander::mesh {

template <int D>
class DeviceHalos {
 public:
  // All outlive this. host_memory: of boundary values on their way to the device.
  DeviceHalos(DeviceLaunches& launches, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
              std::pmr::memory_resource& host_memory);

  // Uploads the tables of a plan. slot: on the device, of an own leaf. messages: of the plan, sizes only. edit: changes
  // the tables before they are uploaded. Requires that no work of earlier tables is under way. Throws gpu::OutOfMemory.
  void rebuild(const HaloPlan<D>& plan, const LocalView<D>& view, std::span<const solvers::PatchTask> patches,
               std::span<const std::int32_t> order, const std::function<double*(std::size_t leaf)>& slot,
               const parallel::NeighbourMessages& messages,
               const std::function<void(FillTables<D>&)>& edit = {});

  // The steps of an exchange, in this order. pack() copies into the send buffer; wait_for_packed() returns
  // when it is complete. receive() copies from the receive buffer; wait_for_received() returns when that
  // buffer may be overwritten.
  void pack(double* send_buffer);
  void wait_for_packed();
  void prepare_given(double t, ThreadTeam& team);  // the boundary values of the scenario
  void fill_local() {
    fill(FillTables<D>::first_local);
    fill_second_local();
  }
  void receive(const double* receive_buffer);
  void fill_received();
  void wait_for_received();
  // All of them, with all messages. Collective.
  void fill(parallel::NeighbourMessages& messages, double t, ThreadTeam& team);

  // fill_local() in two parts, the first of which may share a launch with other work.
  solvers::FillBatch first_local() const { return batch(FillTables<D>::first_local); }
  void fill_second_local() { fill(FillTables<D>::second_local); }

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  solvers::FillBatch batch(int group) const;
  void fill(int group);

  DeviceLaunches& launches_;
  const BoundaryFill<D>& boundaries_;
  PatchPool ghost_pool_;
  Array<double> received_, packed_, given_, signs_;
  Array<solvers::FillTarget> targets_;
  Array<solvers::FillOp> ops_;
  Array<solvers::FillPart> parts_;
  Array<solvers::PackItem> outgoing_;
  std::int32_t group_begin_[FillTables<D>::groups + 1] = {};
  std::vector<GivenBox<D>> given_boxes_;
  std::pmr::memory_resource& host_memory_;
  parallel::MessageBuffer given_values_;
  std::vector<solvers::PatchTask> geometry_;
  gpu::Event packed_event_, given_event_, received_event_;
};

}  // namespace meander::mesh
