// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Offloads batches of patch updates to devices, asynchronously, and recovers from failures (Wille, Weinzierl
// et al., ISC 2023: any thread that finds a batch in the pool takes it and submits it to a queue). A free
// queue is claimed, a batch is taken from the pool, executed (batch_execution.hpp), and retried if it failed.
//
// A failed batch is retried in ever smaller batches, finally on the CPU: an update is bitwise identical
// wherever it is done. The ladder:
//   deferred  no memory, but batches in flight will release some: the tasks return to the pool, and until the
//             next sweep the device has no more batches in flight than now
//   retried   once, after the caches have released idle blocks
//   split     in halves, and these in halves again; without memory, batches stay that small
//   CPU       a patch that fails alone, and all patches on a lost device
// Before that, caches may take pinned host memory instead, or end the run (Options).
// A device is not used again if it is lost, or if no patch of three batches in a row could be updated on it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/overlap.hpp"
#include "gpu/device.hpp"
#include "gpu/strategy.hpp"
#include "offload/batch_execution.hpp"
#include "offload/counts.hpp"
#include "offload/patch_memory.hpp"
#include "offload/split.hpp"
#include "offload/task_pool.hpp"

namespace meander::offload {

struct Options {
  int batch = 8;                  // patches
  int queues = 4;                 // of each device: the largest number of batches in flight
  std::string memory = "pooled";  // see gpu/strategy.hpp
  gpu::CacheTraits cache;
  SplitOptions split;
  // If a cache has no memory for a batch: false: the ladder above; true: the run ends with a Failure that
  // quotes the OutOfMemory.
  bool abort_without_memory = false;
  bool pinned_fallback = false;  // first, try to place the batch in pinned host memory
  // One of each device, or none. Kept until the caches have released all memory.
  std::vector<std::shared_ptr<gpu::Quota>> quotas;
  gpu::Space patches = gpu::Space::host;  // memory of patch_memory()
  bool block_kernels = false;  // emulated devices run the kernels of a GPU (see BatchExecution): for tests
};

class Engine {
 public:
  // Throws InputError if a device has no such memory strategy, DeviceError.
  Engine(std::vector<std::unique_ptr<gpu::Device>> devices, const Options& options);
  ~Engine();

  // Called with the task after its slot is written, by the thread that has written it. seconds: time since
  // the start of the batch, divided by its patches.
  using Done = std::function<void(const EnclaveTask&, double seconds)>;
  // Before each sweep, with no batch in flight. If there are `messages`, the time in which batches are under
  // way together with them is added there.
  void begin(const UpdateCall& call, Done done, OverlapMeter* messages = nullptr);

  // All functions below may be called by any thread.

  // Takes a batch from the pool and submits it. Returns its number of tasks: 0 if the pool holds fewer than a batch, or no queue is
  // free. A device without memory for whole batches takes smaller ones.
  std::size_t offload(TaskPool& pool);
  // Writes back batches that are over. False if there were none, or if another thread is asking the devices.
  bool complete();
  // Batches that have left the pool and are neither written back nor returned to it. Raised before tasks
  // leave the pool; lowered after they were put back.
  int in_flight() const { return in_flight_.load(std::memory_order_acquire); }

  const Options& options() const { return options_; }
  // Overlap of batches and updates on threads. A batch is under way from its start until a thread has noticed
  // its end.
  OverlapMeter& batch_overlap() { return batch_overlap_; }

  Counts counts() const;
  int devices() const { return static_cast<int>(device_slots_.size()); }
  // Sums over all memory on devices and all host windows to it.
  gpu::Stats memory() const;
  // Memory held on all devices without windows: now, and the sum of the largest amounts of each device.
  std::size_t device_bytes() const;
  std::size_t peak_device_bytes() const;
  // Memory for the slots of patches, as Options::patches says.
  gpu::Resource& patch_memory();
  // Call before slots move or change owner. Requires that no batch is in flight; on return no device uses any
  // memory, and step data are released.
  void safepoint();
  // Call about once a step: caches release blocks that have been idle for long.
  void tend();

 private:
  struct DeviceSlot;
  struct Stream;
  enum class Fault { none, out_of_memory, device_error };
  using Tasks = std::span<const EnclaveTask>;

  Stream* claim();
  // Null: of all devices.
  bool complete(const DeviceSlot* of);
  Stream* next_over(const DeviceSlot* of);
  void release(Stream& stream);
  void write_back(Stream& stream);
  void recover(Stream& stream, const std::string& reason, Fault fault);
  // Whether at least one patch was updated on the device.
  bool retry(Stream& stream, Fault fault);
  bool retry_smaller(Stream& stream, Tasks tasks, Fault fault);
  Fault attempt(Stream& stream, Tasks tasks);
  void wait_for_others(DeviceSlot& device_slot);
  void update_on_cpu(Tasks tasks);
  void give_up(DeviceSlot& device_slot);
  void count_submitted(int more);
  // The call with what has been prepared on the device for this sweep.
  UpdateCall call_on(DeviceSlot& device_slot);
  void release_step_data() noexcept;
  void warn_once(const DeviceSlot& device_slot, const std::string& reason, std::size_t patches);

  const Options options_;  // destroyed last: devices use its quotas
  std::vector<std::unique_ptr<DeviceSlot>> device_slots_;
  std::unique_ptr<PatchMemory> patch_memory_;
  std::vector<std::unique_ptr<Stream>> streams_;
  UpdateCall call_;
  Done done_;
  std::atomic<int> in_flight_{0};
  std::atomic<unsigned> next_stream_{0};
  std::atomic<std::int64_t> next_number_{0};  // of a batch, for traces
  std::mutex submitted_mutex_;
  int submitted_ = 0;                      // batches
  std::atomic<int> batches_submitted_{0};  // the same, to read without the mutex
  std::atomic_flag is_polled_;             // a thread asks devices for batches that are over
  OverlapMeter batch_overlap_;
  OverlapMeter* messages_ = nullptr;
  std::int64_t messages_before_ = 0;  // nanoseconds of messages under way when the first batch was submitted
  std::atomic<bool> warned_{false};
  std::atomic<std::int64_t> batches_{0}, patches_{0}, failed_{0}, deferred_{0}, retried_{0}, split_{0},
      on_cpu_{0}, given_up_{0};
};

}  // namespace meander::offload
