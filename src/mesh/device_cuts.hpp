// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The refined cells of cut trees (cut_tree.hpp) as patches on a device: their slots, and restriction from their
// children by one launch a level.
//
// All functions throw DeviceError. Work goes to the queue of DeviceLaunches and nothing waits, unless a function
// says otherwise.

#include <functional>
#include <memory>
#include <vector>

#include "gpu/device_array.hpp"
#include "mesh/device_messages.hpp"
#include "mesh/local_steps.hpp"

namespace meander::mesh {

template <int D>
class DeviceCuts {
 public:
  // leaf_slot: on the device, of an own leaf of the mesh. All outlive this. Uploads the tables. Throws
  // gpu::OutOfMemory.
  DeviceCuts(DeviceLaunches& launches, gpu::Resource& memory, LocalSteps<D>& steps,
             std::function<double*(std::size_t leaf)> leaf_slot);

  // Of an own leaf of LocalSteps::tree(last): a slot with stage blocks.
  double* slot(int last, std::size_t leaf) const;
  // The largest number of shadows of this rank in one tree.
  std::size_t most_shadows() const { return most_shadows_; }

  // As LocalSteps::restrict_from(). Waits where messages have to be sent. Collective among neighbours.
  void restrict_from(int level, const WaitForRanks& wait);

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  struct Cut {
    std::vector<std::int32_t> cell;  // by own leaf: the number of its slot, or -1
    Array<solvers::FillTarget> targets;
    Array<solvers::FillOp> ops;
    Array<solvers::FillPart> parts;
    Array<solvers::PackItem> outgoing;
    DeviceMessages messages;

    Cut(DeviceLaunches& launches, gpu::Resource& memory)
        : targets(launches.device, memory),
          ops(launches.device, memory),
          parts(launches.device, memory),
          outgoing(launches.device, memory),
          messages(launches, launches, memory) {}
  };
  std::size_t index(int level) const { return static_cast<std::size_t>(level - steps_.coarsest()); }
  void upload(int level);
  void clear_halos(std::size_t cells);

  DeviceLaunches& launches_;
  LocalSteps<D>& steps_;
  std::function<double*(std::size_t)> leaf_slot_;
  Array<double> slots_;
  Array<solvers::FillTarget> cleared_;
  Array<solvers::FillOp> clearing_;
  std::size_t slot_doubles_ = 0, most_shadows_ = 0;
  std::vector<std::unique_ptr<Cut>> cuts_;  // by level
};

}  // namespace meander::mesh
