// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interface of all devices: queues, events, copies, launches and raw memory. There are three implementations:
// cuda, openmp and host (threads that emulate a device, host_device.hpp). This header includes no CUDA
// header.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "gpu/queue.hpp"
#include "gpu/resource.hpp"

namespace meander::gpu {

// A rejected call or a failed kernel; what() contains the message of the device. `lost`: the device accepts
// no further calls and its memory contents are lost.
struct DeviceError : Failure {
  bool lost;
  DeviceError(const std::string& words, bool device_lost) : Failure(words), lost(device_lost) {}
};

struct DeviceProperties {
  std::string kind;          // "host", "cuda", "openmp"
  std::string name;          // "host:0", "NVIDIA H200"
  std::string id;            // unique on the machine and the same in all processes; "": the name is unique
  int number = 0;            // among the devices of its kind; equals the `device` of a Place
  std::size_t memory = 0;    // bytes of device memory
  std::size_t reserved = 0;  // of these, bytes that the driver may still take as kernels are first launched
  int architecture = 0;      // 90 for compute capability 9.0; 0 if not applicable
  bool managed = false;      // supports Space::managed
  bool ordered = false;      // supports allocate_ordered
  bool reads_pinned = true;  // kernels can access pinned memory
  bool checked = false;      // emulated to find errors: stale memory is overwritten
  bool supports(Space space) const { return space != Space::managed || managed; }
};

// Direction of a copy, seen from the device. The host side may be any memory of the process. The call may
// return before the copy has ended only if the host side is pinned memory.
enum class Copy : std::uint8_t { in, out, within };

enum class Contents : std::uint8_t { kept, undefined };

// Side to which the pages of managed memory move.
enum class Side : std::uint8_t { host, device };

// The device on which a launched piece of work runs, as seen by that work.
class Execution {
 public:
  // True: the work itself is the kernel, and runs on a thread of the device. False: the work runs on the
  // launching thread and launches kernels on native_queue() (a cudaStream_t).
  virtual bool on_host() const noexcept = 0;
  virtual void* native_queue() const noexcept = 0;
  // DeviceProperties::number.
  virtual int device_number() const noexcept { return 0; }
  // OpenMP device number if kernels are OpenMP target regions, which the launching thread enters; else -1.
  virtual int openmp_device() const noexcept { return -1; }
  // Address by which the work accesses `count` items at `pointer`, in device, managed or pinned memory.
  // Throws DeviceError if the items are not within one block of such memory, as far as the device can detect
  // that.
  template <class T>
  T* address(T* pointer, std::size_t count) const {
    return static_cast<T*>(translate(const_cast<std::remove_const_t<T>*>(pointer), count * sizeof(T)));
  }

 protected:
  ~Execution() = default;
  virtual void* translate(void* pointer, std::size_t bytes) const = 0;
};
using Work = std::function<void(const Execution&)>;

// Thread-safe: any thread may call any function, also concurrently. Functions that are not noexcept throw
// DeviceError. The failure of a submitted operation is thrown by wait, is_complete and synchronize of its
// queue, and by all further calls with that queue until synchronize has thrown it. Operations submitted to
// the queue after the failed one have not run, or their results are invalid.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProperties& properties() const noexcept = 0;
  virtual bool lost() const noexcept = 0;
  // True if a submitted operation of any queue has not ended.
  virtual bool busy() noexcept = 0;

  virtual Queue create_queue() = 0;
  // A queue whose operations begin before those of others, if the device can do so.
  virtual Queue create_urgent_queue() { return create_queue(); }
  // Waits for all submitted operations. Must not be called concurrently with other uses of the queue.
  virtual void destroy_queue(Queue queue) noexcept = 0;

  // Raw memory, aligned to at least 256 bytes. May stall all queues; use a MemoryCache instead. Throws
  // OutOfMemory. The caller must not call `deallocate` before the last use has ended.
  virtual void* allocate(Space space, std::size_t bytes) = 0;
  virtual void deallocate(Space space, void* pointer) noexcept = 0;
  // Device memory from the pool of the driver, if properties().ordered; stream-ordered with the operations of
  // the queue.
  virtual void* allocate_ordered(Queue queue, std::size_t bytes) = 0;
  virtual void deallocate_ordered(Queue queue, void* pointer) noexcept = 0;
  // Bytes of device memory that are not allocated.
  virtual std::size_t available() noexcept = 0;

  // Submits a copy. The caller must keep both sides allocated until it has ended.
  virtual void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) = 0;
  // Submits a kernel. `name`, for messages and traces, must live as long as the program.
  virtual void launch(Queue queue, const char* name, Work work) = 0;
  // Submits a function that runs on a host thread, in order with the other operations of the queue. The
  // function must not call the device.
  virtual void call_host(Queue queue, std::function<void()> function) = 0;
  // Submits the migration of pages of managed memory, to avoid later page faults. No effect for other memory.
  virtual void prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) = 0;
  // States that the host has accessed managed memory. An emulated device cannot observe such accesses, and
  // charges their cost here.
  virtual void host_touched(void*, std::size_t) noexcept {}
  // States that from now on only the first `usable` of `bytes` bytes of a block may be accessed. If the contents are
  // undefined, no operation may be using the block. Devices with properties().checked watch it in debug builds.
  virtual void restrict_access(void*, std::size_t /*usable*/, std::size_t /*bytes*/, Contents) noexcept {}

  // The address by which MPI accesses device memory, if the library can do so at all; null if not on this device. Throws DeviceError
  // if the device detects that the bytes are not within one block.
  virtual void* address_for_messages(void* /*pointer*/, std::size_t /*bytes*/) { return nullptr; }

  // Event completing after all work submitted to the queue so far.
  virtual Event record(Queue queue) = 0;
  virtual bool is_complete(Event event) = 0;
  virtual void wait(Event event) = 0;
  // Work submitted to `queue` after this call begins after completion of the event.
  virtual void wait(Queue queue, Event event) = 0;
  virtual void synchronize(Queue queue) = 0;

  // Queries the progress of the queue from the device, for Event::known_complete. Failed operations count as
  // complete.
  virtual void refresh(QueueState& queue) noexcept = 0;
  // Waits until the event is known to be complete, whether its operations succeeded or failed.
  virtual void settle(Event event) noexcept = 0;
};

// Creates the devices called `name`: "host" and "host:N" (emulated, with default settings), "cuda" and
// "openmp" (all visible devices; for OpenMP the initial device if there is no other), "auto" (cuda if there
// is a GPU, else none), "none" (an empty vector). Throws InputError with the available names.
std::vector<std::unique_ptr<Device>> make_devices(const std::string& name);

// Reason for the absence of devices of that kind, for instance "no NVIDIA driver" or "built without CUDA"; ""
// if there is one.
std::string why_missing(const std::string& kind);

}  // namespace meander::gpu
