// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Queues and events of a CUDA device.
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/trace.hpp"
#include "gpu/cuda_device_class.hpp"

namespace meander::gpu {

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

// Marks all operations as completed: none will run, so no thread may wait for one.
void CudaDevice::mark_lost() noexcept {
  lost_ = true;
  const std::lock_guard lock(queues_mutex_);
  for (const auto& queue : queues_) queue->mark_completed(queue->submitted.load());
}

CudaDevice::CudaDevice(int number) {
  properties_.kind = "cuda";
  properties_.name = "cuda:" + std::to_string(number);
  properties_.number = number;
  select();
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, number), "cudaGetDeviceProperties");
  properties_.name += std::string(" (") + found.name + ")";
  char bus[32] = {};
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, number), "cudaDeviceGetPCIBusId");
  properties_.id = bus;
  properties_.memory = found.totalGlobalMem;
  properties_.architecture = 10 * found.major + found.minor;
  properties_.managed = found.concurrentManagedAccess != 0;
  properties_.ordered = found.memoryPoolsSupported != 0;
  if (properties_.ordered) {
    // By default the pool returns all memory to the driver at each synchronisation.
    cudaMemPool_t pool = nullptr;
    std::uint64_t keep = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, number), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
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

Queue CudaDevice::create_queue() {
  {
    const std::lock_guard lock(queues_mutex_);
    for (const auto& queue : queues_) {
      if (!std::exchange(queue->in_use, true)) return Queue(queue.get());
    }
  }
  select();
  auto queue = std::make_unique<CudaQueue>();
  check(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking), "cudaStreamCreate");
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
  // An event belongs to the device that is current at its creation.
  result = cudaSetDevice(properties_.number);
  if (result != cudaSuccess) return nullptr;
  CudaEventPool::Handle event = events_.get(result);
  if (event == nullptr) return nullptr;
  result = cudaEventRecord(event.get(), queue.stream);
  if (result != cudaSuccess) return nullptr;
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
    if (result == cudaSuccess) {
      state.mark_completed(recorded.ticket);
    } else if (result != cudaErrorNotReady) {
      log_failure(result, "cudaEventQuery");
    }
  }
  if (covered || lost()) return;
  cudaError_t result = cudaSuccess;
  const CudaEventPool::Handle event = record_now(state, result);
  log_failure(result, "cudaEventRecord");
  if (event != nullptr && cudaEventQuery(event.get()) == cudaSuccess) state.mark_completed(submitted);
}

void CudaDevice::settle(Event event) noexcept {
  if (event.known_complete()) return;
  auto& state = static_cast<CudaQueue&>(*event.queue);
  cudaSetDevice(properties_.number);
  cudaError_t result = cudaSuccess;
  CudaEventPool::Handle recorded = state.covering(event.ticket);
  if (recorded == nullptr) recorded = record_now(state, result);
  if (recorded != nullptr) result = cudaEventSynchronize(recorded.get());
  log_failure(result, "cudaEventSynchronize");
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

void CudaDevice::wait(Event event) {
  if (event.queue == nullptr) return;
  CudaQueue& state = begin(Queue(event.queue));
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

}  // namespace meander::gpu
