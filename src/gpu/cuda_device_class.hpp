// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Class CudaDevice. Internal: only the source files of the CUDA device include this header.

#include <cuda_runtime_api.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "gpu/cuda_queue.hpp"
#include "gpu/device.hpp"

namespace meander::gpu {

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number);
  ~CudaDevice() override;

  const DeviceProperties& properties() const noexcept override { return properties_; }
  bool lost() const noexcept override { return lost_.load(std::memory_order_relaxed); }
  bool busy() noexcept override;
  Queue create_queue() override;
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
  void select() { check(cudaSetDevice(properties_.number), "cudaSetDevice"); }
  CudaQueue& queue_of(Queue queue);
  CudaQueue& begin(Queue queue);
  static void end(CudaQueue& queue) { queue.submitted.fetch_add(1, std::memory_order_release); }
  CudaEventPool::Handle record_now(CudaQueue& queue, cudaError_t& result);
  void mark_lost() noexcept;

  DeviceProperties properties_;
  std::atomic<bool> lost_{false};
  std::mutex queues_mutex_;
  std::deque<std::unique_ptr<CudaQueue>>
      queues_;  // including destroyed ones: events may refer to their state
  CudaEventPool events_;
};

}  // namespace meander::gpu
