// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Operations of the queues of a CUDA device: copies, launches, host functions and prefetches.
#include <cstdint>
#include <memory>
#include <string>

#include "base/trace.hpp"
#include "gpu/cuda_device_class.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define MEANDER_NVTX
#endif

namespace meander::gpu {

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
    end(state);  // parts of the work may have been submitted
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
