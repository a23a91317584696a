// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Executes a FluxCorrection on patches that live on a device: registers of face fluxes, messages, tables and
// launches.
//
// All functions throw DeviceError. Work goes to the queue of DeviceLaunches and nothing waits, unless a
// function says otherwise.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device_array.hpp"
#include "mesh/device_messages.hpp"
#include "mesh/device_tables.hpp"

namespace meander::mesh {

template <int D>
class DeviceReflux {
 public:
  // What corrects a coarse face: the fluxes of the one step of finer leaves, or their sums over several
  // steps, which the items of add_items() add up.
  enum class Fine { one_step, sums };
  // border: the queue of messages and of Leaves::border. All outlive this.
  DeviceReflux(DeviceLaunches& launches, DeviceLaunches& border, gpu::Resource& memory, Fine fine);

  // Makes registers and tables, and points `patches`, a table before its upload, to the registers. tasks:
  // geometry, by leaf; index_of: the place of each own leaf in `patches`; border_leaves: the number of
  // patches, the first, that are border leaves. The messages of `fluxes` are used until the next call.
  // Requires that no work of earlier tables is under way. Throws gpu::OutOfMemory.
  void rebuild(FluxCorrection<D>& fluxes, std::span<const solvers::PatchTask> tasks,
               std::span<solvers::DevicePatch> patches, std::span<const std::int32_t> index_of,
               std::size_t border_leaves);
  // Fine::sums: what adds the fluxes of a step of leaves of `fine_level` to their sums, those for other ranks
  // in the send buffer.
  void add_items(int fine_level, const FluxCorrection<D>& fluxes,
                 std::vector<solvers::LevelItem>& items) const;

  // Fine::one_step: sets what is sent. Fine::sums: copies it to the host.
  void pack();
  DeviceMessages& messages() { return messages_; }
  // Corrects coarse leaves for their step dt, in which finer leaves took that number of steps. status: by
  // place.
  enum class Leaves { border, others, all };
  void correct(Leaves leaves, solvers::PatchStatus* status, double dt, int steps = 1);

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;

  DeviceLaunches& launches_;
  DeviceLaunches& border_launches_;
  const Fine fine_;
  Array<double> registers_, sums_;
  DeviceMessages messages_;
  Array<solvers::RefluxTarget> targets_;
  Array<solvers::CoarseFace> faces_;
  Array<solvers::FluxPart> parts_;
  Array<solvers::FluxPackItem> outgoing_;
  std::size_t border_ = 0;  // number of targets that are border leaves
};

}  // namespace meander::mesh
