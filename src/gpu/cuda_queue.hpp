// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A queue of a CUDA device: a stream, and the events recorded in it that nobody has seen pass yet. CUDA is
// never called while a lock is held.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/queue.hpp"

namespace meander::gpu {

// Events cost a microsecond to make, so they are kept.
class CudaEventPool {
 public:
  using Handle = std::shared_ptr<CUevent_st>;

  // Null, and the error in `result`, if CUDA makes none.
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
  bool in_use = true;
  int trace_row = 0;

  void add(Recorded recorded) {
    const std::lock_guard lock(mutex_);
    recorded_.push_back(std::move(recorded));
  }
  std::vector<Recorded> recorded() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }
  // The first that passes no earlier than the ticket; null if none was recorded.
  CudaEventPool::Handle covering(std::uint64_t ticket) const {
    const std::lock_guard lock(mutex_);
    const Recorded* best = nullptr;
    for (const Recorded& recorded : recorded_) {
      if (recorded.ticket >= ticket && (best == nullptr || recorded.ticket < best->ticket)) best = &recorded;
    }
    return best == nullptr ? nullptr : best->event;
  }
  // All up to the ticket has ended.
  void passed(std::uint64_t ticket) {
    std::uint64_t before = completed.load(std::memory_order_relaxed);
    while (before < ticket && !completed.compare_exchange_weak(before, ticket, std::memory_order_acq_rel)) {
    }
    std::vector<Recorded> gone;  // ends behind the lock, so that events go back to their pool without it
    const std::lock_guard lock(mutex_);
    const auto rest = std::partition(recorded_.begin(), recorded_.end(),
                                     [&](const Recorded& recorded) { return recorded.ticket > ticket; });
    gone.assign(std::make_move_iterator(rest), std::make_move_iterator(recorded_.end()));
    recorded_.erase(rest, recorded_.end());
  }

  // Failures of functions of the host that ran in the queue.
  void failed(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow(bool clear) {
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      error = error_;
      if (clear) error_ = nullptr;
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Recorded> recorded_;
  std::exception_ptr error_;
};

}  // namespace meander::gpu
