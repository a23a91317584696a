// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Executes a HaloPlan on patches that live on a device: tables, messages and launches. Submits its work to one queue
// and returns without waiting unless it says otherwise. All functions throw DeviceError.

#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/device_array.hpp"
#include "mesh/device_messages.hpp"
#include "mesh/device_tables.hpp"
#include "mesh/halo_exchange.hpp"
#include "mesh/patch_pool.hpp"

namespace meander::mesh {

template <int D>
class DeviceHalos {
 public:
  // sends: the queue of what is sent. All outlive this. host_memory: of boundary values on their way to the device.
  DeviceHalos(DeviceLaunches& launches, DeviceLaunches& sends, const BoundaryFill<D>& boundaries,
              gpu::Resource& memory, std::pmr::memory_resource& host_memory);

  // Uploads the tables of a plan, and uses its messages until the next call. slot: on the device, of an own leaf. edit:
  // changes the tables before they are uploaded. Requires that no work of earlier tables is under way. Throws
  // gpu::OutOfMemory.
  void rebuild(HaloExchange<D>& exchange, const LocalView<D>& view,
               std::span<const solvers::PatchTask> patches, std::span<const std::int32_t> order,
               const std::function<double*(std::size_t leaf)>& slot, const ThreadTeam& team,
               const std::function<void(FillTables<D>&)>& edit = {});

  // Fills all halos for time t. Waits where messages have to be sent, and by `wait` for other ranks. Collective among
  // neighbours.
  void fill(double t, ThreadTeam& team, const WaitForRanks& wait = &parallel::NeighbourMessages::wait) {
    start_fill(t, team);
    finish_fill(wait);
  }
  // fill() in two parts. The first sends and does what needs no messages, the second waits for other ranks.
  void start_fill(double t, ThreadTeam& team);
  void finish_fill(const WaitForRanks& wait);

  // For work between the steps of a fill: messages().expect(), pack(), messages().send(), fill_local(),
  // messages().receive(), fill_received(), in this order.
  DeviceMessages& messages() { return messages_; }
  void pack() { messages_.pack("pack halos", outgoing_); }
  void fill_local(double t, ThreadTeam& team);
  void fill_received();

  // The steps of fill_local(), the second of which may share a launch with other work.
  void prepare_given(double t, ThreadTeam& team);  // the boundary values of the scenario
  solvers::FillBatch first_local() const { return batch(FillTables<D>::first_local); }
  void fill_second_local() { fill(FillTables<D>::second_local); }

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  solvers::FillBatch batch(int group) const;
  void fill(int group);

  DeviceLaunches& launches_;
  DeviceLaunches& sends_;
  const BoundaryFill<D>& boundaries_;
  PatchPool ghost_pool_;
  DeviceMessages messages_;
  Array<double> given_, signs_;
  Array<solvers::FillTarget> targets_;
  Array<solvers::FillOp> ops_;
  Array<solvers::FillPart> parts_;
  Array<solvers::PackItem> outgoing_;
  std::int32_t group_begin_[FillTables<D>::groups + 1] = {};
  std::vector<GivenBox<D>> given_boxes_;
  std::pmr::memory_resource& host_memory_;
  parallel::MessageBuffer given_values_;
  std::vector<solvers::PatchTask> geometry_;  // where there are given boxes
  gpu::Event given_event_;
};

}  // namespace meander::mesh
