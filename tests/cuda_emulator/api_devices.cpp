// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls of the CUDA runtime: errors, devices, streams and events.
#include <cstdio>
#include <set>

#include "calls.hpp"
#include "memory.hpp"
#include "settings.hpp"

using namespace cuda_emulator;

namespace {

std::set<Event*>& events() {
  static auto& all = *new std::set<Event*>;
  return all;
}
Event* find_event(cudaEvent_t handle, const char* call) {  // locked
  auto* const event = reinterpret_cast<Event*>(handle);
  if (events().count(event)) return event;
  fail(cudaErrorInvalidResourceHandle, call, "no such event");
  return nullptr;
}
bool is_done(const Event& event) {
  return stream(event.stream).done >= event.number;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  const std::lock_guard lock(runtime_mutex());
  reset_last_error(sticky_error());
  return error;
}
cudaError_t cudaPeekAtLastError() {
  return last_error();
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return "error of an emulated device";
  }
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaError";
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaGetDeviceCount(int* count) {
  BEGIN_CALL("cudaGetDeviceCount");
  *count = settings().devices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  BEGIN_CALL("cudaSetDevice");
  if (!is_device(device)) return fail(cudaErrorInvalidDevice, "cudaSetDevice", "no such device");
  set_current_device(device);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  BEGIN_CALL("cudaGetDevice");
  *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  BEGIN_CALL("cudaGetDeviceProperties");
  if (!is_device(device)) return fail(cudaErrorInvalidDevice, "cudaGetDeviceProperties", "no such device");
  cudaDeviceProp& p = *properties = {};
  std::snprintf(p.name, sizeof p.name, "emulated GPU");
  p.totalGlobalMem = static_cast<std::size_t>(settings().memory);
  p.major = 9;
  p.multiProcessorCount = 132;
  p.sharedMemPerBlock = 49152;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(settings().shared_memory);
  p.maxThreadsPerBlock = 1024;
  p.warpSize = 32;
  p.asyncEngineCount = 3;
  p.concurrentManagedAccess = p.managedMemory = p.memoryPoolsSupported = p.unifiedAddressing =
      p.canMapHostMemory = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  BEGIN_CALL("cudaDeviceGetPCIBusId");
  if (!is_device(device)) return fail(cudaErrorInvalidDevice, "cudaDeviceGetPCIBusId", "no such device");
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0", static_cast<unsigned>(device + 1));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  BEGIN_CALL("cudaDeviceGetAttribute");
  if (!is_device(device)) return fail(cudaErrorInvalidDevice, "cudaDeviceGetAttribute", "no such device");
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = settings().shared_memory;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      return cudaSuccess;
    case cudaDevAttrConcurrentManagedAccess:
      *value = 1;
      return cudaSuccess;
    default:
      return fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                  "an attribute that the emulator does not know");
  }
}
cudaError_t cudaDeviceSynchronize() {
  BEGIN_CALL("cudaDeviceSynchronize");
  ++counts().synchronizations;
  if (omits("synchronize")) return cudaSuccess;
  std::unique_lock lock(runtime_mutex());
  drain(lock, current_device());
  return quietly(sticky_error());
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  BEGIN_CALL("cudaMemGetInfo");
  const std::lock_guard lock(runtime_mutex());
  *total = static_cast<std::size_t>(settings().memory);
  *free = *total - allocated_bytes(current_device());
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  BEGIN_CALL("cudaStreamCreateWithFlags");
  const std::lock_guard lock(runtime_mutex());
  *out =
      reinterpret_cast<cudaStream_t>(&stream(new_stream(current_device(), !(flags & cudaStreamNonBlocking))));
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int) {
  return cudaStreamCreateWithFlags(out, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  BEGIN_CALL("cudaDeviceGetStreamPriorityRange");
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return cudaStreamCreateWithFlags(out, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  BEGIN_CALL("cudaStreamDestroy");
  std::unique_lock lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaStreamDestroy");
  if (!s) return last_error();
  if (s->done < s->enqueued) note("cudaStreamDestroy of a stream with work");
  wait_until(lock, *s, s->enqueued);
  s->destroyed = true;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  BEGIN_CALL("cudaStreamSynchronize");
  ++counts().synchronizations;
  if (omits("synchronize")) return cudaSuccess;
  std::unique_lock lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaStreamSynchronize");
  if (!s) return last_error();
  const Clock clock = s->clock;
  wait_until(lock, *s, s->enqueued);
  observe(clock);
  return quietly(sticky_error());
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  BEGIN_CALL("cudaStreamQuery");
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaStreamQuery");
  if (!s) return last_error();
  if (s->done < s->enqueued) {
    ask();
    return cudaErrorNotReady;
  }
  observe(s->clock);
  return quietly(sticky_error());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  BEGIN_CALL("cudaStreamWaitEvent");
  if (omits("stream-wait")) return cudaSuccess;
  const std::lock_guard lock(runtime_mutex());
  const Event* const e = find_event(event, "cudaStreamWaitEvent");
  Stream* const s = e ? find_stream(handle, "cudaStreamWaitEvent") : nullptr;
  if (!s) return last_error();
  if (!e->recorded) {
    note("cudaStreamWaitEvent for an event that was not recorded");
    return cudaSuccess;
  }
  enqueue(*s, "wait", nullptr, {{e->stream, e->number}}, &e->clock);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  BEGIN_CALL("cudaLaunchHostFunc");
  ++counts().host_functions;
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaLaunchHostFunc");
  if (!s) return last_error();
  enqueue(*s, "host function", [function, data](Operation&) { run_host_function(function, data); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  BEGIN_CALL("cudaEventCreateWithFlags");
  const std::lock_guard lock(runtime_mutex());
  auto* const event = new Event;
  event->device = current_device();
  events().insert(event);
  *out = reinterpret_cast<cudaEvent_t>(event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return cudaEventCreateWithFlags(out, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  BEGIN_CALL("cudaEventDestroy");
  const std::lock_guard lock(runtime_mutex());
  Event* const event = find_event(handle, "cudaEventDestroy");
  if (!event) return last_error();
  events().erase(event);  // the memory stays: an operation may note its time
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t on) {
  BEGIN_CALL("cudaEventRecord");
  const std::lock_guard lock(runtime_mutex());
  Event* const event = find_event(handle, "cudaEventRecord");
  Stream* const s = event ? find_stream(on, "cudaEventRecord") : nullptr;
  if (!s) return last_error();
  if (s->device != event->device)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord", "event and stream of different devices");
  if (event->recorded && !is_done(*event)) note("an event is recorded again before it was complete");
  event->recorded = true;
  event->stream = s->index;
  event->number =
      enqueue(*s, "event", [event](Operation&) { event->when = std::chrono::steady_clock::now(); });
  event->clock = s->clock;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  BEGIN_CALL("cudaEventQuery");
  if (omits("event-wait")) return cudaSuccess;
  const std::lock_guard lock(runtime_mutex());
  const Event* const event = find_event(handle, "cudaEventQuery");
  if (!event) return last_error();
  if (!event->recorded) return cudaSuccess;
  if (!is_done(*event)) {
    ask();
    return cudaErrorNotReady;
  }
  observe(event->clock);
  return quietly(sticky_error());
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  BEGIN_CALL("cudaEventSynchronize");
  ++counts().synchronizations;
  if (omits("event-wait")) return cudaSuccess;
  std::unique_lock lock(runtime_mutex());
  const Event* const event = find_event(handle, "cudaEventSynchronize");
  if (!event) return last_error();
  if (!event->recorded) return cudaSuccess;
  const Clock clock = event->clock;
  wait_until(lock, stream(event->stream), event->number);
  observe(clock);
  return quietly(sticky_error());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  BEGIN_CALL("cudaEventElapsedTime");
  const std::lock_guard lock(runtime_mutex());
  const Event* const from = find_event(begin, "cudaEventElapsedTime");
  const Event* const to = find_event(end, "cudaEventElapsedTime");
  if (!from || !to) return last_error();
  if (!from->recorded || !to->recorded || !is_done(*from) || !is_done(*to))
    return fail(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime", "an event is not complete");
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return cudaSuccess;
}

}  // extern "C"
