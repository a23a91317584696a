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

// After these a process gets no further call through to the device.
bool ends_the_device(cudaError_t error) {
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
  cudaGetLastError();  // or the next call would report it again
  const bool ends = ends_the_device(result);
  if (ends) gone();
  throw DeviceError(properties_.name + ": " + call + ": " + cudaGetErrorString(result), ends);
}

void CudaDevice::note(cudaError_t result, const char* call) noexcept {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  if (ends_the_device(result)) gone();
  if (!lost()) log::error(properties_.name + ": " + call + ": " + cudaGetErrorString(result));
}

// Nothing runs any more, so whoever waits must not.
void CudaDevice::gone() noexcept {
  lost_ = true;
  const std::lock_guard lock(queues_mutex_);
  for (const auto& queue : queues_) queue->passed(queue->submitted.load());
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
    // Else the pool gives all back whenever a queue is synchronised.
    cudaMemPool_t pool = nullptr;
    std::uint64_t keep = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, number), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
}

CudaDevice::~CudaDevice() {
  for (const auto& queue : queues_) {
    settle({queue.get(), queue->submitted.load()});
    note(cudaStreamDestroy(queue->stream), "cudaStreamDestroy");
  }
  for (const auto& queue : queues_) queue->passed(UINT64_MAX);
  events_.destroy();
}

CudaQueue& CudaDevice::queue_of(Queue queue) {
  if (queue.synchronous() || queue.state()->device != this)
    throw DeviceError(properties_.name + ": a queue that is not the device's", false);
  return static_cast<CudaQueue&>(*queue.state());
}

CudaQueue& CudaDevice::begin(Queue queue) {
  CudaQueue& state = queue_of(queue);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  state.rethrow(false);
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
    state.rethrow(true);
  } catch (const std::exception& error) {
    log::warning(std::string("lost with its queue: ") + error.what());
  }
  state.passed(state.submitted.load());
  // The stream stays: somebody may just be asking how far it is.
  const std::lock_guard lock(queues_mutex_);
  state.in_use = false;
}

// What has been counted before the event is recorded has been submitted before.
CudaEventPool::Handle CudaDevice::record_now(CudaQueue& queue, cudaError_t& result) {
  const std::uint64_t ticket = queue.submitted.load(std::memory_order_acquire);
  // An event belongs to the device that is selected when it is made.
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
  if (event.known_over()) return event;
  cudaError_t result = cudaSuccess;
  record_now(state, result);
  check(result, "cudaEventRecord");
  return event;
}

void CudaDevice::refresh(QueueState& queue) noexcept {
  auto& state = static_cast<CudaQueue&>(queue);
  if (lost()) return state.passed(state.submitted.load());
  const std::uint64_t submitted = state.submitted.load(std::memory_order_acquire);
  bool covered = state.completed.load() >= submitted;
  if (covered) return;
  cudaSetDevice(properties_.number);
  for (const CudaQueue::Recorded& recorded : state.recorded()) {
    const cudaError_t result = cudaEventQuery(recorded.event.get());
    covered = covered || recorded.ticket >= submitted;
    if (result == cudaSuccess) {
      state.passed(recorded.ticket);
    } else if (result != cudaErrorNotReady) {
      note(result, "cudaEventQuery");
    }
  }
  if (covered || lost()) return;
  cudaError_t result = cudaSuccess;
  const CudaEventPool::Handle event = record_now(state, result);
  note(result, "cudaEventRecord");
  if (event != nullptr && cudaEventQuery(event.get()) == cudaSuccess) state.passed(submitted);
}

void CudaDevice::settle(Event event) noexcept {
  if (event.known_over()) return;
  auto& state = static_cast<CudaQueue&>(*event.queue);
  cudaSetDevice(properties_.number);
  cudaError_t result = cudaSuccess;
  CudaEventPool::Handle recorded = state.covering(event.ticket);
  if (recorded == nullptr) recorded = record_now(state, result);
  if (recorded != nullptr) result = cudaEventSynchronize(recorded.get());
  note(result, "cudaEventSynchronize");
  state.passed(event.ticket);
}

bool CudaDevice::over(Event event) {
  if (event.queue == nullptr) return true;
  CudaQueue& state = begin(Queue(event.queue));
  if (!event.known_over()) refresh(state);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  if (!event.known_over()) return false;
  state.rethrow(false);
  return true;
}

void CudaDevice::wait(Event event) {
  if (event.queue == nullptr) return;
  CudaQueue& state = begin(Queue(event.queue));
  settle(event);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  state.rethrow(false);
}

void CudaDevice::wait(Queue queue, Event event) {
  if (event.known_over()) return;
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
  state.passed(submitted);
  state.rethrow(true);
}

}  // namespace meander::gpu
