// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the patches of a mesh live: in host memory, or on a device with a home in host memory, to which they
// are copied when somebody reads them there.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mesh/device_patches.hpp"
#include "mesh/local_steps.hpp"
#include "mesh/residence.hpp"

namespace meander::mesh {

template <int D>
class DeviceLocalSteps;

template <int D>
class PatchResidence {
 public:
  // Parts of the mesh. All outlive this.
  struct Mesh {
    const solvers::Solver& solver;
    const solvers::PatchLayout& layout;
    const BoundaryFill<D>& boundaries;
    std::pmr::memory_resource& message_memory;
    const DistributedTree<D>& tree;
    const std::optional<LocalView<D>>& view;
    const PatchPool& pool;
    const std::vector<int>& slots;                      // of each own leaf
    const std::vector<solvers::PatchTask>& patches;     // of own leaves, then of the other leaves of the view
    const std::unique_ptr<LocalSteps<D>>& local_steps;  // or null
    StepExchange<D>& exchange;
  };
  explicit PatchResidence(const Mesh& mesh);
  ~PatchResidence();

  // From now on the patches live in `memory` of the device, which both outlive the mesh: steps run there.
  // The patches of the mesh are then the patches' home in host memory: current after bring_home(), and until the next step.
  // Null on ranks whose patches stay in host memory. Throws InputError if solver or boundary conditions do
  // not allow it. All ranks call it. in_place: DeviceLaunches::messages_in_place.
  void live_on(gpu::Device* device, gpu::Resource* memory, bool in_place = false);
  bool is_on_device() const { return device_ != nullptr; }
  Residence kind() const { return is_on_device() ? Residence::device : Residence::host; }
  bool is_on_device_of_any_rank() const { return some_live_on_device_; }
  DevicePatches<D>* device() { return device_.get(); }  // or null
  // The device's patches if they are current; null before the first step, after changed_at_home(), and on the host.
  DevicePatches<D>* current() const { return is_current_on_device_ ? device_.get() : nullptr; }

  // Copies the slots to the host unless they are current there. Any thread may call it. No effect on the
  // host. The reason is counted, for the summary.
  void bring_home(const char* reason = "regrid") const;
  // How often the slots were copied, by reason.
  std::map<std::string, std::int64_t> brought_home() const;
  // The memory of the device that the present mesh needs; with that of local steps once they are planned.
  DeviceMemory memory() const;
  // To be called after a change of the patches in host memory, or on the device.
  void changed_at_home() {
    is_current_on_device_ = false;
    is_current_at_home_ = true;
  }
  void changed_on_device();
  // After a change of the fields (solvers::PatchLayout) of these leaves in host memory: sends them to the device if the
  // patches are there.
  void send_fields(std::span<const std::size_t> leaves);

  // Before each step and each work on the device: uploads tables and slots that have changed. Throws gpu::OutOfMemory (several ranks:
  // parallel::AgreedFailure). Collective.
  void prepare_step(const ThreadTeam& team = ThreadTeam(1));
  // The same for the tables of local steps, and for those of the exchange of levels first .. last.
  void prepare_local_steps();
  void prepare_levels(int first, int last);
  // Begins a stage on the device; the slots in host memory become stale.
  DevicePatches<D>& begin() {
    changed_on_device();
    return *device_;
  }
  // After prepare_local_steps().
  DeviceLocalSteps<D>& local_steps() { return *device_local_steps_; }

  // For the mesh: its leaves have changed; room for as many slots as its pool has; what the tables are made from.
  void forget_tables();
  void reserve();
  typename DevicePatches<D>::Mesh tables() const;

 private:
  std::span<const solvers::PatchTask> own_patches() const {
    return std::span(mesh_.patches).first(mesh_.slots.size());
  }

  const Mesh mesh_;
  std::unique_ptr<DevicePatches<D>> device_;                 // or null
  bool some_live_on_device_ = false;                         // of any rank
  std::unique_ptr<DeviceLocalSteps<D>> device_local_steps_;  // null until they are used on the present mesh
  std::vector<std::pair<int, int>> uploaded_groups_;         // point values: on any rank with a device
  bool has_tables_ = false, has_level_tables_ = false, is_current_on_device_ = false;
  mutable std::atomic<bool> is_current_at_home_{true};
  mutable std::mutex bring_home_mutex_;
  mutable std::map<std::string, std::int64_t> brought_home_;
};

}  // namespace meander::mesh
