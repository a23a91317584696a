// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device emulated by host threads, with the interface, rules and failures of a GPU. Costs, capacity and
// failures are configurable, so that the layers above can be tested without a GPU and a real GPU can be
// modelled.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "gpu/host_address_space.hpp"
#include "gpu/threaded_device.hpp"

namespace meander::gpu {

// Times in seconds, bandwidths in bytes per second (0: unlimited), probabilities per call. Members failing_*:
// number of the failing call, counted from 1; 0: none fails.
struct HostDeviceSettings {
  int number = 0;
  std::size_t capacity = std::size_t{4} << 30;
  std::size_t taken = 0, reserved = 0;  // of it, by others, and DeviceProperties::reserved
  bool managed = true;
  double launch_latency = 0;  // before the kernel begins
  double kernel_delay = 0;    // added to each kernel
  double bandwidth_in = 0,
         bandwidth_out = 0;  // of the link, shared by all queues; one copy per direction at a time
  double copy_latency = 0;
  double pageable_factor = 1;   // slowdown of copies from or to memory that is not pinned
  double allocation_stall = 0;  // raw (de)allocation waits for running operations, then stalls the device
  double page_fault = 0;        // access of a kernel to 64 KiB of managed memory whose pages the host has
  std::uint64_t failing_allocation = 0, failing_copy = 0, failing_launch = 0;
  double allocation_failures = 0;  // probability that a raw allocation fails with OutOfMemory
  std::uint64_t dies_after = 0;    // calls after the nth fail, and submitted operations do not run; 0: never
  std::uint64_t seed = 1;
};

class HostDevice final : public ThreadedDevice {
 public:
  explicit HostDevice(const HostDeviceSettings& settings = {});
  ~HostDevice() override;

  void* allocate(Space space, std::size_t bytes) override;
  void deallocate(Space space, void* pointer) noexcept override;
  // Emulates the stream-ordered pool of the driver: no stall, and memory deallocated in a queue can be
  // allocated again in the order of that queue.
  void* allocate_ordered(Queue queue, std::size_t bytes) override;
  void deallocate_ordered(Queue queue, void* pointer) noexcept override;
  std::size_t available() noexcept override;
  void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) override;
  void launch(Queue queue, const char* name, Work work) override;
  void prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) override;
  void host_touched(void* pointer, std::size_t bytes) noexcept override;
  void* address_for_messages(void* pointer, std::size_t bytes) override;
  void restrict_access(void* pointer, std::size_t usable, std::size_t bytes,
                       Contents contents) noexcept override;

  // For tests: marks the device as lost; all further calls fail.
  void die() noexcept { lost_ = true; }
  // Numbers of raw allocations and deallocations so far.
  std::uint64_t allocations() const noexcept { return allocations_.load(); }
  std::uint64_t deallocations() const noexcept { return deallocations_.load(); }

 private:
  enum class HostMemoryKind : std::uint8_t { pinned, pageable };
  class HostExecution;
  struct Link {
    std::mutex mutex;
    std::int64_t free_at = 0;  // ns of the steady clock
  };

  void begin_call() override;
  void migrate(const HostAddressSpace::Place& place, std::size_t bytes, Side to);
  void occupy(Link& link, double bandwidth, std::size_t bytes, HostMemoryKind kind);
  void stall();
  void begin_operation() override;
  void end_operation() override;
  bool fails_at_random(double probability);

  const HostDeviceSettings settings_;
  HostAddressSpace memory_;
  std::atomic<std::uint64_t> calls_{0}, allocations_{0}, deallocations_{0}, copies_{0}, launches_{0},
      dice_{0};
  Link in_, out_;
  // Raw allocation holds gate_ until no operation runs, so that no other one begins.
  std::mutex gate_, running_mutex_;
  std::condition_variable nothing_runs_;
  int running_ = 0;
};

// As make_devices(name), but emulated devices have the settings `emulated`, except for their number.
std::vector<std::unique_ptr<Device>> make_devices(const std::string& name,
                                                  const HostDeviceSettings& emulated);

}  // namespace meander::gpu
