// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Offloads batches of patch updates to devices, asynchronously, and copes when that fails (Wille, Weinzierl
// et al., ISC 2023: whoever sees a batch in the pool takes it and deploys it on a queue of its own).
//
// What fails is done again, by and by with less trust in the device, and in the end on the CPU: the bits are
// the same wherever a patch is updated. The ladder:
//   deferred  no memory, but batches in flight will give some back: the tasks return to the pool, and until
//             the next sweep the device gets no more batches at a time than it holds now
//   retried   once, after the caches have given back what is idle
//   split     in halves, and those in halves again; for want of memory, batches stay that small
//   CPU       what fails even alone, and all that is on a device that is lost
// Caches may lay blocks into pinned host memory before any of that, or end the run.
// A device that is lost, or fails to update a single patch of three batches in a row, is not used again.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/strategy.hpp"
#include "tasks/flight.hpp"
#include "tasks/overlap.hpp"
#include "tasks/patch_memory.hpp"
#include "tasks/split.hpp"
#include "tasks/task_pool.hpp"

namespace meander::tasks {

struct OffloadOptions {
  int batch = 8;                  // patches
  int queues = 4;                 // of each device: so many batches are in flight at most
  std::string memory = "pooled";  // see gpu/strategy.hpp
  gpu::CacheTraits cache;
  SplitOptions split;
  // What becomes of a batch for which a cache has no memory: false: the ladder above; true: the run is given
  // up, with an OutOfMemory's figures as a Failure.
  bool abort_without_memory = false;
  bool pinned_fallback = false;  // before that, the batch lies in pinned host memory
  // Of each device, or none. They are kept until the caches have given all back.
  std::vector<std::shared_ptr<gpu::Quota>> quotas;
  gpu::Space patches = gpu::Space::host;  // where patch_memory() is
  bool block_kernels = false;             // emulated devices run what a GPU would run (see Flight): for tests
};

// Since the start.
struct OffloadCounts {
  std::int64_t batches = 0;  // done on a device
  std::int64_t patches = 0;  // updated in these
  std::int64_t failed = 0;   // batches that failed at first
  std::int64_t deferred = 0, retried = 0, split = 0;
  std::int64_t on_cpu = 0;    // patches of failed batches that were updated on the CPU
  std::int64_t given_up = 0;  // devices that are lost or not used any more
};

class OffloadEngine {
 public:
  // Throws InputError if a device has no such memory strategy, DeviceError.
  OffloadEngine(std::vector<std::unique_ptr<gpu::Device>> devices, const OffloadOptions& options);
  ~OffloadEngine();

  // Before each sweep, with no batch in flight: what its tasks are to do, and what follows right after each,
  // on the thread that has written its slot; seconds: from the start of its batch, divided by its patches.
  using Done = std::function<void(const EnclaveTask&, double seconds)>;
  // `messages`, if there are any, is told for how long batches are under way meanwhile.
  void begin(const UpdateCall& call, Done done, Overlap* messages = nullptr);

  // All that follow may be called by any thread.

  // Takes a batch from the pool and submits it, if there are so many tasks and a queue is free. False: not
  // so.
  bool offload(TaskPool& pool);
  // Writes the slots of batches that are over. False if there were none.
  bool complete();
  // Batches that have been taken from the pool and are not done.
  int in_flight() const { return in_flight_.load(std::memory_order_acquire); }

  const OffloadOptions& options() const { return options_; }
  // Runs while batches are under way: from their start until they were seen to be over.
  Overlap& batches() { return overlap_; }

  OffloadCounts counts() const;
  int devices() const { return static_cast<int>(sites_.size()); }
  // Of all memory on devices and of the windows to it.
  gpu::Stats memory() const;
  // Of all devices, without windows: what is held, and the most that was held of each.
  std::size_t device_bytes() const;
  std::size_t peak_device_bytes() const;
  // For the slots of patches; host memory where OffloadOptions::patches says so.
  gpu::Resource& patch_memory();
  // To be called before slots move or change hands: no batch is in flight then, and no device uses any
  // memory.
  void safepoint();
  // To be called now and then, say once a step: lets caches give back what has been idle for long.
  void tend();

 private:
  struct Site;
  struct Lane;
  using Tasks = std::span<const EnclaveTask>;

  Lane* claim();
  void free(Lane& lane);
  void land(Lane& lane);
  void rescue(Lane& lane, const std::string& reason, bool out_of_memory);
  bool attempt(Lane& lane, Tasks tasks, bool& out_of_memory);
  void wait_for_others(Site& site);
  bool climb(Lane& lane, Tasks tasks, bool retry, bool out_of_memory);
  void update_on_cpu(Tasks tasks);
  void give_up(Site& site);
  void under_way(int more);
  void warn_once(const Site& site, const std::string& reason, std::size_t patches);

  const OffloadOptions options_;  // the last to go, with its quotas
  std::vector<std::unique_ptr<Site>> sites_;
  std::unique_ptr<PatchMemory> patch_memory_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  UpdateCall call_;
  Done done_;
  std::atomic<int> in_flight_{0};
  std::atomic<unsigned> next_lane_{0};
  std::atomic<std::int64_t> next_number_{0};  // of a batch, for traces
  std::mutex flying_mutex_;
  int flying_ = 0;
  Overlap overlap_;
  Overlap* messages_ = nullptr;
  std::int64_t messages_before_ = 0;  // their nanoseconds under way, when the first batch flew
  std::atomic<bool> warned_{false};
  std::atomic<std::int64_t> batches_{0}, patches_{0}, failed_{0}, deferred_{0}, retried_{0}, split_{0},
      on_cpu_{0}, given_up_{0};
};

}  // namespace meander::tasks
