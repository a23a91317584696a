// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The messages of one exchange between ranks whose patches live on devices: buffers in the memory of the device,
// which are copied to and from those of NeighbourMessages in host memory. An exchange is expect(), pack(), send(),
// receive(), in this order; other work may be submitted in between. Without messages they have no effect.
//
// All functions throw DeviceError. Work goes to the queue of DeviceLaunches and nothing waits, unless a function
// says otherwise.

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/timer.hpp"
#include "gpu/device.hpp"
#include "gpu/device_array.hpp"
#include "mesh/facts.hpp"
#include "parallel/neighbour_messages.hpp"
#include "solvers/field_batch.hpp"
#include "solvers/resident.hpp"

namespace meander::mesh {

// The status of this number of patches is added by one block (solvers::LevelItem).
inline constexpr std::size_t patches_of_an_item = 128;

// A queue of a device on which a rank's patches live: launches and copies, counted.
struct DeviceLaunches {
  const solvers::Solver& solver;
  const solvers::PatchLayout layout;
  gpu::Device& device;
  const gpu::Queue queue;
  DeviceCounts& counts;
  std::pmr::memory_resource& host_memory;  // for copies
  // Whether MPI reads and writes messages in the memory of the device, in place of copies in host memory.
  const bool messages_in_place = false;

  // What is submitted from now on begins after what the other queue has so far.
  void follow(const DeviceLaunches& other) { device.wait(queue, device.record(other.queue)); }
  // Without effect for a batch without items.
  void launch(const char* name, const solvers::ResidentBatch& batch) {
    submit(name, batch, [this](const gpu::Execution& execution, const solvers::ResidentBatch& one) {
      solver.launch_resident(execution, {one});
    });
  }
  void launch(const char* name, const solvers::GeneralBatch& batch) {
    submit(name, batch, &solvers::launch_general);
  }
  void launch(const char* name, const solvers::FieldBatch& batch) {
    submit(name, batch, &solvers::launch_field);
  }
  void copy(gpu::Copy direction, void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (direction == gpu::Copy::in) counts.bytes_in += static_cast<std::int64_t>(bytes);
    if (direction == gpu::Copy::out) counts.bytes_out += static_cast<std::int64_t>(bytes);
    device.copy(queue, direction, to, from, bytes);
  }
  // Waits within a step; DeviceCounts::waited is the time.
  void wait(gpu::Event event) {
    const Timer timer(counts.waited);
    device.wait(event);
  }
  void wait_for_all() {
    const Timer timer(counts.waited);
    device.synchronize(queue);
  }
  template <class T>
  void upload(gpu::DeviceArray<T>& to, const std::vector<T>& items) {
    to.upload(queue, items);
    counts.bytes_in += static_cast<std::int64_t>(items.size() * sizeof(T));
  }
  template <class T>
  void submit(gpu::DeviceArray<T>& staged) {
    counts.bytes_in += static_cast<std::int64_t>(staged.size() * sizeof(T));
    staged.submit(queue);
  }
  template <class T>
  void copy_in(T* to, const T* from, std::size_t count) {
    copy(gpu::Copy::in, to, from, count * sizeof(T));
  }
  template <class T>
  void copy_out(T* to, const T* from, std::size_t count) {
    copy(gpu::Copy::out, to, from, count * sizeof(T));
  }

 private:
  template <class Batch, class Launch>
  void submit(const char* name, const Batch& batch, const Launch& by) {
    if (std::visit([](const auto& any) { return any.count == 0; }, batch)) return;
    ++counts.launches;
    device.launch(queue, name, [by, batch](const gpu::Execution& execution) { by(execution, batch); });
  }
};

// Length of a buffer of doubles that holds these bytes.
inline std::size_t doubles_for(std::size_t bytes) {
  return (bytes + sizeof(double) - 1) / sizeof(double);
}

// Waits for messages of other ranks, by NeighbourMessages::wait().
using WaitForRanks = std::function<void(parallel::NeighbourMessages&)>;

// Messages between the memories of devices, by way of host memory or in place (DeviceLaunches::messages_in_place). In place, a message
// may not arrive before the kernels that read the last one have ended. Receives therefore start with the sends, when the host has
// waited for the packing: what is packed depends on what these kernels read.
class DeviceMessages {
 public:
  // out, in: the queues of what is sent, and of what is received. All outlive this.
  DeviceMessages(DeviceLaunches& out, DeviceLaunches& in, gpu::Resource& memory)
      : out_(out), in_(in), sent_(out.device, memory), received_(in.device, memory) {}

  // Makes buffers for these messages, which live until the next call and keep their sizes. Requires that no work with
  // the earlier buffers is under way. Throws gpu::OutOfMemory.
  void rebuild(parallel::NeighbourMessages& messages);
  bool is_empty() const { return messages_ == nullptr || messages_->is_empty(); }
  // On the device, ordered as the buffers of the messages. Valid until the next rebuild().
  double* sent() const { return sent_.data(); }
  const double* received() const { return received_.data(); }

  // Starts the receives. Waits for the copy of the last exchange from the buffer that they overwrite. In place: marks the
  // end of what may read received().
  void expect();
  // Sets sent() by a launch over a table of the device, and copies it to the host if messages are there.
  template <class Item>
  void pack(const char* name, const gpu::DeviceArray<Item>& items) {
    if (is_empty()) return;
    constexpr bool of_volumes = std::is_same_v<Item, solvers::PackItem>;
    using Batch = std::conditional_t<of_volumes, solvers::PackBatch, solvers::FluxPackBatch>;
    const Batch batch{static_cast<int>(items.size()), items.data(), sent_.data(), out_.layout, {}};
    out_.launch(name, solvers::GeneralBatch(batch));
    copy_out();
  }
  // In place of pack(), where other launches have set sent().
  void copy_out();
  // Waits for that, then starts the sends.
  void send();
  // Calls wait(messages), then copies them to received() if they are on the host.
  void receive(const WaitForRanks& wait);

 private:
  bool in_place() const { return out_.messages_in_place; }

  DeviceLaunches& out_;
  DeviceLaunches& in_;
  parallel::NeighbourMessages* messages_ = nullptr;
  parallel::NeighbourMessages messages_in_place_;
  gpu::DeviceArray<double> sent_, received_;
  gpu::Event packed_;  // and copied to the host
  gpu::Event read_;    // what was received last; or, without in_place(), copied from the host
};

}  // namespace meander::mesh
