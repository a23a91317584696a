// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One interface for all devices: queues, events, copies, launches and raw memory. Three implement it: cuda,
// openmp and host (threads that emulate a device, host_device.hpp). No header of CUDA shows here.

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

// A call that a device refused or a kernel that failed, in the device's words. `lost`: the device answers no
// call any more, and what was on it is gone.
struct DeviceError : Failure {
  bool lost;
  DeviceError(const std::string& words, bool device_lost) : Failure(words), lost(device_lost) {}
};

struct DeviceProperties {
  std::string kind;  // "host", "cuda", "openmp"
  std::string name;  // "host:0", "NVIDIA H200"
  std::string id;    // tells it from others of the machine, the same in all processes; "": its name does
  int number = 0;    // among the devices of its kind; the `device` of a Place
  std::size_t memory = 0;    // bytes of its own
  int architecture = 0;      // 90 for compute capability 9.0; 0 where that means nothing
  bool managed = false;      // Space::managed can be had
  bool ordered = false;      // allocate_ordered can be had
  bool reads_pinned = true;  // kernels reach pinned memory
  bool supports(Space space) const { return space != Space::managed || managed; }
};

// Which way a copy goes. The host side may be any memory of the process; only from or into pinned memory does
// the call return before the copy is done.
enum class Copy : std::uint8_t { in, out, within };

// What a launched piece of work sees of the device it runs on.
class Execution {
 public:
  // True if the work itself is the kernel, and runs on the device's thread. Else it runs on the launching
  // thread, and is to launch kernels on native_queue() (a cudaStream_t).
  virtual bool on_host() const noexcept = 0;
  virtual void* native_queue() const noexcept = 0;
  // Where kernels are target regions of OpenMP, that the launching thread is to enter: the device they are
  // for. Else -1.
  virtual int openmp_device() const noexcept { return -1; }
  // The address under which the work reaches `count` items at `pointer`, of device, managed or pinned memory.
  // Throws DeviceError if they do not lie in one block of such memory, as far as the device can tell.
  template <class T>
  T* address(T* pointer, std::size_t count) const {
    return static_cast<T*>(translate(const_cast<std::remove_const_t<T>*>(pointer), count * sizeof(T)));
  }

 protected:
  ~Execution() = default;
  virtual void* translate(void* pointer, std::size_t bytes) const = 0;
};
using Work = std::function<void(const Execution&)>;

// All functions may be called by any thread, also at once. Those not noexcept throw DeviceError. A failure of
// something submitted is thrown by wait, over or synchronize of its queue, and by all further calls with that
// queue, until synchronize has thrown it; what was submitted to the queue behind it has not run, or in vain.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProperties& properties() const noexcept = 0;
  virtual bool lost() const noexcept = 0;
  // True while anything submitted to any queue has not ended.
  virtual bool busy() noexcept = 0;

  virtual Queue create_queue() = 0;
  // Waits for what was submitted. Must not race with other uses of the queue.
  virtual void destroy_queue(Queue queue) noexcept = 0;

  // Raw memory, aligned to 256 bytes at least. May stall all queues: go through a MemoryCache instead. Throws
  // OutOfMemory. `deallocate` must not be called before the last use is over.
  virtual void* allocate(Space space, std::size_t bytes) = 0;
  virtual void deallocate(Space space, void* pointer) noexcept = 0;
  // The driver's own pool, if it has one; in order with what is submitted to the queue.
  virtual void* allocate_ordered(Queue queue, std::size_t bytes) = 0;
  virtual void deallocate_ordered(Queue queue, void* pointer) noexcept = 0;
  // Bytes of device memory that nobody holds.
  virtual std::size_t available() noexcept = 0;

  // Submits; the memory stays the caller's to keep until it has ended.
  virtual void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) = 0;
  // `name`, for messages and traces, lives as long as the program.
  virtual void launch(Queue queue, const char* name, Work work) = 0;
  // Runs on a thread of the host in its turn; must not call the device.
  virtual void call_host(Queue queue, std::function<void()> function) = 0;
  // Moves pages of managed memory before they are missed. Does nothing for other memory.
  virtual void prefetch(Queue queue, void* pointer, std::size_t bytes, bool to_device) = 0;
  // The host has touched managed memory: an emulated device cannot see that, and charges for it here.
  virtual void host_touched(void*, std::size_t) noexcept {}

  // Behind all that has been submitted to the queue so far.
  virtual Event record(Queue queue) = 0;
  virtual bool over(Event event) = 0;
  virtual void wait(Event event) = 0;
  // Whatever is submitted to `queue` from now on begins after the event.
  virtual void wait(Queue queue, Event event) = 0;
  virtual void synchronize(Queue queue) = 0;

  // Asks the device how far the queue is, so that Event::known_over knows. What failed counts as over.
  virtual void refresh(QueueState& queue) noexcept = 0;
  // Waits until the event is known to be over, in success or failure.
  virtual void settle(Event event) noexcept = 0;
};

// The devices that `name` stands for: "host" and "host:N" (emulated, with default settings), "cuda" and
// "openmp" (all that are visible; without any, OpenMP's initial device), "auto" (cuda if a GPU is there, else
// none), "none" (an empty vector). Throws InputError with what is there instead.
std::vector<std::unique_ptr<Device>> make_devices(const std::string& name);

// Why there is no device of that kind here, "" if there is one: "no NVIDIA driver", "built without CUDA".
std::string why_missing(const std::string& kind);

}  // namespace meander::gpu
