// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/trace.hpp"
#include "gpu/device.hpp"
#include "gpu/queue.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define MEANDER_NVTX
#endif

namespace meander::gpu {

// Pool of CUDA events, because the creation of an event takes a microsecond. Thread-safe. CUDA is never called
// while a lock is held.
class CudaEventPool {
 public:
  using Handle = std::shared_ptr<CUevent_st>;

  // Null, with the error in `result`, if CUDA cannot create an event.
  Handle get(cudaError_t& result) {
    cudaEvent_t event = nullptr;
    result = cudaSuccess;
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        event = spare_.back();
        spare_.pop_back();
      }
    }
    if (event == nullptr)
      result = cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync);
    if (result != cudaSuccess) return nullptr;
    return {event, [this](cudaEvent_t used) {
              const std::lock_guard lock(mutex_);
              spare_.push_back(used);
            }};
  }

  void destroy() noexcept {
    for (cudaEvent_t event : spare_) cudaEventDestroy(event);
    spare_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> spare_;
};

class CudaQueue final : public QueueState {
 public:
  struct Recorded {
    std::uint64_t ticket;
    CudaEventPool::Handle event;
  };

  cudaStream_t stream = nullptr;
  bool in_use = true, urgent = false;
  int trace_row = 0;

  void add(Recorded recorded) {
    const std::lock_guard lock(mutex_);
    recorded_.push_back(std::move(recorded));
  }
  std::vector<Recorded> recorded() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }
  // The earliest recorded event that completes no earlier than the ticket; null if there is none.
  CudaEventPool::Handle covering(std::uint64_t ticket) const {
    const std::lock_guard lock(mutex_);
    const Recorded* best = nullptr;
    for (const Recorded& recorded : recorded_) {
      if (recorded.ticket >= ticket && (best == nullptr || recorded.ticket < best->ticket)) best = &recorded;
    }
    return best == nullptr ? nullptr : best->event;
  }
  // Notes that all operations up to the ticket have ended.
  void mark_completed(std::uint64_t ticket) {
    std::uint64_t before = completed.load(std::memory_order_relaxed);
    while (before < ticket && !completed.compare_exchange_weak(before, ticket, std::memory_order_acq_rel)) {
    }
    std::vector<Recorded> done;  // destroyed after the lock is released: events then return to their pool
    const std::lock_guard lock(mutex_);
    const auto rest = std::partition(recorded_.begin(), recorded_.end(),
                                     [&](const Recorded& recorded) { return recorded.ticket > ticket; });
    done.assign(std::make_move_iterator(rest), std::make_move_iterator(recorded_.end()));
    recorded_.erase(rest, recorded_.end());
  }

  // Stores the first error of a host function that ran in the queue.
  void set_error(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow_error() const {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = error_;
    }
    if (error) std::rethrow_exception(error);
  }
  void rethrow_and_clear_error() {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Recorded> recorded_;
  std::exception_ptr error_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number);
  ~CudaDevice() override;

  const DeviceProperties& properties() const noexcept override { return properties_; }
  bool lost() const noexcept override { return lost_.load(std::memory_order_relaxed); }
  bool busy() noexcept override;
  Queue create_queue() override { return find_queue(false); }
  Queue create_urgent_queue() override { return find_queue(true); }
  void destroy_queue(Queue queue) noexcept override;
  void* allocate(Space space, std::size_t bytes) override;
  void deallocate(Space space, void* pointer) noexcept override;
  void* allocate_ordered(Queue queue, std::size_t bytes) override;
  void deallocate_ordered(Queue queue, void* pointer) noexcept override;
  std::size_t available() noexcept override;
  void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) override;
  void launch(Queue queue, const char* name, Work work) override;
  void call_host(Queue queue, std::function<void()> function) override;
  void prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) override;
  void* address_for_messages(void* pointer, std::size_t) override { return pointer; }
  Event record(Queue queue) override;
  bool is_complete(Event event) override;
  void wait(Event event) override;
  void wait(Queue queue, Event event) override;
  void synchronize(Queue queue) override;
  void refresh(QueueState& queue) noexcept override;
  void settle(Event event) noexcept override;

 private:
  void check(cudaError_t result, const char* call);
  void log_failure(cudaError_t result, const char* call) noexcept;
  void check_progress(cudaError_t result, const char* call) noexcept;
  // Before operations. The first call opens a context on the device, which takes half a gigabyte of its memory: a rank has
  // none on the devices of others.
  void select();
  Queue find_queue(bool urgent);  // one that is not in use, or a new one
  CudaQueue& queue_of(Queue queue);
  CudaQueue& begin(Queue queue);
  static void end(CudaQueue& queue) { queue.submitted.fetch_add(1, std::memory_order_release); }
  CudaEventPool::Handle record_now(CudaQueue& queue, cudaError_t& result);
  void poll_for_a_while(Event event);
  void mark_lost() noexcept;

  DeviceProperties properties_;
  std::atomic<bool> lost_{false};
  std::once_flag started_;
  std::mutex queues_mutex_;
  std::deque<std::unique_ptr<CudaQueue>> queues_;  // destroyed ones, too: events may refer to their state
  CudaEventPool events_;
};

namespace {

// Errors after which the device rejects all further calls of the process.
bool loses_device(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
#if CUDART_VERSION >= 13000
    case cudaErrorContained:
#endif
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

void CudaDevice::check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // clears the error, which the next call would report again
  const bool ends = loses_device(result);
  if (ends) mark_lost();
  throw DeviceError(properties_.name + ": " + call + ": " + cudaGetErrorString(result), ends);
}

void CudaDevice::log_failure(cudaError_t result, const char* call) noexcept {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  if (loses_device(result)) mark_lost();
  if (!lost()) log::error(properties_.name + ": " + call + ": " + cudaGetErrorString(result));
}

// After a question whether operations have completed: any answer but yes or not yet is the failure of one of them.
void CudaDevice::check_progress(cudaError_t result, const char* call) noexcept {
  if (result == cudaErrorNotReady) return;
  log_failure(result, call);
  if (result != cudaSuccess && !lost()) mark_lost();
}

// Marks all operations as completed: none will run, so no thread may wait for one.
void CudaDevice::mark_lost() noexcept {
  lost_ = true;
  const std::lock_guard lock(queues_mutex_);
  for (const auto& queue : queues_) queue->mark_completed(queue->submitted.load());
}

// Calls nothing that opens a context.
CudaDevice::CudaDevice(int number) {
  properties_.kind = "cuda";
  properties_.name = "cuda:" + std::to_string(number);
  properties_.number = number;
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, number), "cudaGetDeviceProperties");
  properties_.name += std::string(" (") + found.name + ")";
  char bus[32] = {};
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, number), "cudaDeviceGetPCIBusId");
  properties_.id = bus;
  properties_.memory = found.totalGlobalMem;
  // Code and local memory of kernels, which are loaded lazily.
  properties_.reserved = std::min(properties_.memory / 16, std::size_t{1} << 30);
  properties_.architecture = 10 * found.major + found.minor;
  properties_.managed = found.concurrentManagedAccess != 0;
  properties_.ordered = found.memoryPoolsSupported != 0;
}

void CudaDevice::select() {
  check(cudaSetDevice(properties_.number), "cudaSetDevice");
  std::call_once(started_, [this] {
    if (!properties_.ordered) return;
    // By default the pool returns all memory to the driver at each synchronisation.
    cudaMemPool_t pool = nullptr;
    std::uint64_t keep = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, properties_.number), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  });
}

CudaDevice::~CudaDevice() {
  for (const auto& queue : queues_) {
    settle({queue.get(), queue->submitted.load()});
    log_failure(cudaStreamDestroy(queue->stream), "cudaStreamDestroy");
  }
  for (const auto& queue : queues_) queue->mark_completed(UINT64_MAX);
  events_.destroy();
}

CudaQueue& CudaDevice::queue_of(Queue queue) {
  if (queue.synchronous() || queue.state()->device != this)
    throw DeviceError(properties_.name + ": the queue does not belong to the device", false);
  return static_cast<CudaQueue&>(*queue.state());
}

CudaQueue& CudaDevice::begin(Queue queue) {
  CudaQueue& state = queue_of(queue);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  state.rethrow_error();
  select();
  return state;
}

bool CudaDevice::busy() noexcept {
  std::vector<CudaQueue*> open;
  {
    const std::lock_guard lock(queues_mutex_);
    for (const auto& queue : queues_) {
      if (queue->completed.load() < queue->submitted.load()) open.push_back(queue.get());
    }
  }
  for (CudaQueue* queue : open) {
    refresh(*queue);
    if (queue->completed.load() < queue->submitted.load()) return true;
  }
  return false;
}

Queue CudaDevice::find_queue(bool urgent) {
  {
    const std::lock_guard lock(queues_mutex_);
    for (const auto& queue : queues_) {
      if (queue->urgent == urgent && !std::exchange(queue->in_use, true)) return Queue(queue.get());
    }
  }
  select();
  auto queue = std::make_unique<CudaQueue>();
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&queue->stream, cudaStreamNonBlocking, urgent ? greatest : least),
        "cudaStreamCreate");
  queue->urgent = urgent;
  queue->device = this;
  const std::lock_guard lock(queues_mutex_);
  queue->trace_row = trace::add_row(properties_.name + " queue " + std::to_string(queues_.size()));
  queues_.push_back(std::move(queue));
  return Queue(queues_.back().get());
}

void CudaDevice::destroy_queue(Queue queue) noexcept {
  if (queue.synchronous()) return;
  auto& state = static_cast<CudaQueue&>(*queue.state());
  settle(mark(queue));
  try {
    state.rethrow_and_clear_error();
  } catch (const std::exception& error) {
    log::warning(std::string("unreported failure of a destroyed queue: ") + error.what());
  }
  state.mark_completed(state.submitted.load());
  // The stream is kept, because another thread may be querying its progress.
  const std::lock_guard lock(queues_mutex_);
  state.in_use = false;
}

// The ticket is read before the event is recorded: all operations counted by it precede the event.
CudaEventPool::Handle CudaDevice::record_now(CudaQueue& queue, cudaError_t& result) {
  const std::uint64_t ticket = queue.submitted.load(std::memory_order_acquire);
  result = cudaSetDevice(properties_.number);  // to which a new event belongs
  CudaEventPool::Handle event = result == cudaSuccess ? events_.get(result) : nullptr;
  if (event != nullptr) result = cudaEventRecord(event.get(), queue.stream);
  if (result != cudaSuccess) {
    cudaGetLastError();  // the caller has it
    return nullptr;
  }
  queue.add({ticket, event});
  return event;
}

Event CudaDevice::record(Queue queue) {
  if (queue.synchronous()) return {};
  CudaQueue& state = begin(queue);
  const Event event = mark(queue);
  if (event.known_complete()) return event;
  cudaError_t result = cudaSuccess;
  record_now(state, result);
  check(result, "cudaEventRecord");
  return event;
}

void CudaDevice::refresh(QueueState& queue) noexcept {
  auto& state = static_cast<CudaQueue&>(queue);
  if (lost()) return state.mark_completed(state.submitted.load());
  const std::uint64_t submitted = state.submitted.load(std::memory_order_acquire);
  bool covered = state.completed.load() >= submitted;
  if (covered) return;
  cudaSetDevice(properties_.number);
  for (const CudaQueue::Recorded& recorded : state.recorded()) {
    const cudaError_t result = cudaEventQuery(recorded.event.get());
    covered = covered || recorded.ticket >= submitted;
    if (result == cudaSuccess) state.mark_completed(recorded.ticket);
    check_progress(result, "cudaEventQuery");
  }
  if (covered || lost()) return;
  cudaError_t result = cudaSuccess;
  const CudaEventPool::Handle event = record_now(state, result);
  // Without an event, for want of memory perhaps, the stream itself is asked.
  result = event != nullptr ? cudaEventQuery(event.get()) : cudaStreamQuery(state.stream);
  if (result == cudaSuccess) state.mark_completed(submitted);
  check_progress(result, "progress of a queue");
}

void CudaDevice::settle(Event event) noexcept {
  if (event.known_complete()) return;
  auto& state = static_cast<CudaQueue&>(*event.queue);
  cudaSetDevice(properties_.number);
  cudaError_t result{};
  CudaEventPool::Handle recorded = state.covering(event.ticket);
  if (recorded == nullptr) recorded = record_now(state, result);
  result = recorded != nullptr ? cudaEventSynchronize(recorded.get()) : cudaStreamSynchronize(state.stream);
  check_progress(result, "wait for a queue");
  state.mark_completed(event.ticket);
}

bool CudaDevice::is_complete(Event event) {
  if (event.queue == nullptr) return true;
  CudaQueue& state = begin(Queue(event.queue));
  if (!event.known_complete()) refresh(state);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  if (!event.known_complete()) return false;
  state.rethrow_error();
  return true;
}

// A thread that sleeps takes 20 to 60 microseconds to wake, as long as many waits within a step last.
void CudaDevice::poll_for_a_while(Event event) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  while (!event.known_complete() && std::chrono::steady_clock::now() < end) refresh(*event.queue);
}

void CudaDevice::wait(Event event) {
  if (event.queue == nullptr) return;
  CudaQueue& state = begin(Queue(event.queue));
  poll_for_a_while(event);
  settle(event);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  state.rethrow_error();
}

void CudaDevice::wait(Queue queue, Event event) {
  if (event.known_complete()) return;
  CudaQueue& state = begin(queue);
  if (event.queue->device->properties().kind != "cuda") return event.queue->device->settle(event);
  auto& other = static_cast<CudaQueue&>(*event.queue);
  cudaError_t result = cudaSuccess;
  CudaEventPool::Handle recorded = other.covering(event.ticket);
  if (recorded == nullptr) recorded = static_cast<CudaDevice*>(other.device)->record_now(other, result);
  select();
  if (recorded != nullptr) result = cudaStreamWaitEvent(state.stream, recorded.get(), 0);
  check(result, "cudaStreamWaitEvent");
  end(state);
}

void CudaDevice::synchronize(Queue queue) {
  if (queue.synchronous()) return;
  CudaQueue& state = queue_of(queue);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  select();
  const std::uint64_t submitted = state.submitted.load(std::memory_order_acquire);
  check(cudaStreamSynchronize(state.stream), "cudaStreamSynchronize");
  state.mark_completed(submitted);
  state.rethrow_and_clear_error();
}

// Memory of a CUDA device, and enumeration of devices.

void* CudaDevice::allocate(Space space, std::size_t bytes) {
  if (space == Space::host || !properties_.supports(space))
    throw DeviceError(properties_.name + ": the device has no " + gpu::name(space) + " memory", false);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  if (bytes == 0) return nullptr;
  select();
  void* pointer = nullptr;
  cudaError_t result = cudaSuccess;
  if (space == Space::device) {
    result = cudaMalloc(&pointer, bytes);
  } else if (space == Space::pinned) {
    result = cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  } else {
    result = cudaMallocManaged(&pointer, bytes);
  }
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(bytes, properties_.memory - available(), {space, properties_.number}, 0,
                      properties_.memory);
  }
  check(result, "allocation");
  return pointer;
}

void CudaDevice::deallocate(Space space, void* pointer) noexcept {
  if (pointer == nullptr) return;
  cudaSetDevice(properties_.number);
  log_failure(space == Space::pinned ? cudaFreeHost(pointer) : cudaFree(pointer), "deallocation");
}

void* CudaDevice::allocate_ordered(Queue queue, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  CudaQueue& state = begin(queue);
  void* pointer = nullptr;
  const cudaError_t result = cudaMallocAsync(&pointer, bytes, state.stream);
  // More than there is in all may be an invalid value.
  if (result == cudaErrorMemoryAllocation ||
      (result == cudaErrorInvalidValue && bytes > properties_.memory)) {
    cudaGetLastError();
    throw OutOfMemory(bytes, properties_.memory - available(), {Space::device, properties_.number}, 0,
                      properties_.memory);
  }
  check(result, "cudaMallocAsync");
  end(state);
  return pointer;
}

void CudaDevice::deallocate_ordered(Queue queue, void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto& state = static_cast<CudaQueue&>(*queue.state());
  cudaSetDevice(properties_.number);
  log_failure(cudaFreeAsync(pointer, state.stream), "cudaFreeAsync");
  end(state);
}

std::size_t CudaDevice::available() noexcept {
  std::size_t free = 0, total = 0;
  cudaSetDevice(properties_.number);
  log_failure(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

namespace {

int visible_devices(cudaError_t& result) {
  int count = 0;
  result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) cudaGetLastError();
  return result == cudaSuccess ? count : 0;
}

}  // namespace

std::string why_no_cuda() {
  cudaError_t result = cudaSuccess;
  if (visible_devices(result) > 0) return "";
  if (result == cudaSuccess || result == cudaErrorNoDevice) return "no CUDA device is visible";
  if (result == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is missing or too old for CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
           std::to_string(CUDART_VERSION % 1000 / 10);
  }
  return std::string("CUDA error: ") + cudaGetErrorString(result);
}

std::vector<std::unique_ptr<Device>> make_cuda_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  cudaError_t result = cudaSuccess;
  const int count = visible_devices(result);
  for (int number = 0; number < count; ++number) devices.push_back(std::make_unique<CudaDevice>(number));
  return devices;
}

// Operations of the queues of a CUDA device: copies, launches, host functions and prefetches.

namespace {

// NVTX range for profilers.
class Range {
 public:
#ifdef MEANDER_NVTX
  explicit Range(const char* name) {
    nvtxRangePushA(name);
  }
  ~Range() {
    nvtxRangePop();
  }
#else
  explicit Range(const char*) {}
#endif
};

// Records the operations submitted during its lifetime as one event on the queue's row of the trace. It
// submits two host functions, so it is active only if tracing is on.
class TracedOperation {
 public:
  TracedOperation(const CudaQueue& queue, const char* name) : stream_(queue.stream) {
    if (!trace::on()) return;
    auto stamp = std::make_unique<Stamp>(Stamp{queue.trace_row, name, 0, trace::context()});
    if (cudaLaunchHostFunc(stream_, begin, stamp.get()) == cudaSuccess) {
      stamp_ = stamp.release();
    } else {
      cudaGetLastError();
    }
  }
  ~TracedOperation() {
    if (stamp_ != nullptr && cudaLaunchHostFunc(stream_, end, stamp_) != cudaSuccess) cudaGetLastError();
  }
  TracedOperation(const TracedOperation&) = delete;
  TracedOperation& operator=(const TracedOperation&) = delete;

 private:
  struct Stamp {
    int row;
    const char* name;
    std::int64_t begin, value;
  };
  static void CUDART_CB begin(void* data) { static_cast<Stamp*>(data)->begin = trace::now(); }
  static void CUDART_CB end(void* data) {
    const std::unique_ptr<Stamp> stamp(static_cast<Stamp*>(data));
    trace::record(stamp->row, stamp->name, stamp->begin, trace::now(), stamp->value);
  }

  cudaStream_t stream_;
  Stamp* stamp_ = nullptr;
};

class CudaExecution final : public Execution {
 public:
  CudaExecution(cudaStream_t stream, int device) : stream_(stream), device_(device) {}
  bool on_host() const noexcept override { return false; }
  void* native_queue() const noexcept override { return stream_; }
  int device_number() const noexcept override { return device_; }

 protected:
  void* translate(void* pointer, std::size_t) const override { return pointer; }

 private:
  cudaStream_t stream_;
  int device_;
};

}  // namespace

// With unified addressing, CUDA derives the direction from the addresses.
void CudaDevice::copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  CudaQueue& state = begin(queue);
  constexpr const char* names[] = {"copy in", "copy out", "copy"};
  {
    const TracedOperation traced(state, names[static_cast<int>(direction)]);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state.stream), "cudaMemcpyAsync");
  }
  end(state);
}

void CudaDevice::launch(Queue queue, const char* name, Work work) {
  CudaQueue& state = begin(queue);
  const Range range(name);
  try {
    const TracedOperation traced(state, name);
    work(CudaExecution(state.stream, properties_.number));
  } catch (...) {
    end(state);                                           // parts of the work may have been submitted
    check_progress(cudaStreamQuery(state.stream), name);  // the launch may report what an earlier kernel did
    throw;
  }
  end(state);
  check(cudaGetLastError(), name);
}

namespace {

struct HostCall {
  CudaQueue& queue;
  std::function<void()> function;
};

void CUDART_CB call_and_delete(void* data) {
  const std::unique_ptr<HostCall> call(static_cast<HostCall*>(data));
  try {
    call->function();
  } catch (const std::exception& error) {
    call->queue.set_error(std::make_exception_ptr(
        DeviceError(std::string("a host function failed in its queue: ") + error.what(), false)));
  }
}

}  // namespace

void CudaDevice::call_host(Queue queue, std::function<void()> function) {
  CudaQueue& state = begin(queue);
  auto call = std::make_unique<HostCall>(HostCall{state, std::move(function)});
  check(cudaLaunchHostFunc(state.stream, call_and_delete, call.get()), "cudaLaunchHostFunc");
  call.release();
  end(state);
}

void CudaDevice::prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) {
  if (bytes == 0 || !properties_.managed) return;
  CudaQueue& state = begin(queue);
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type != cudaMemoryTypeManaged) return;
#if CUDART_VERSION >= 13000
  cudaMemLocation place{};
  place.type = to == Side::device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  place.id = to == Side::device ? properties_.number : 0;
  check(cudaMemPrefetchAsync(pointer, bytes, place, 0, state.stream), "cudaMemPrefetchAsync");
#else
  const int place = to == Side::device ? properties_.number : cudaCpuDeviceId;
  check(cudaMemPrefetchAsync(pointer, bytes, place, state.stream), "cudaMemPrefetchAsync");
#endif
  end(state);
}

}  // namespace meander::gpu
