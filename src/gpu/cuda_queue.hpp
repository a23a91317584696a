// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queue of a CUDA device: a stream, and the recorded events that are not yet known to be complete. CUDA is
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

// Pool of CUDA events, because the creation of an event takes a microsecond. Thread-safe.
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

}  // namespace meander::gpu
