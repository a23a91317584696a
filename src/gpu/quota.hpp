// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory quota shared by several caches, for instance those of the ranks on one GPU or of one process.
// Thread-safe.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace meander::gpu {

class Quota {
 public:
  virtual ~Quota() = default;
  // Takes bytes from the quota. Returns false and takes nothing if they would exceed the limit.
  virtual bool take(std::size_t bytes) noexcept = 0;
  virtual void give(std::size_t bytes) noexcept = 0;
  virtual std::size_t in_use() const noexcept = 0;
  virtual std::size_t limit() const noexcept = 0;

  // Requests that the other users release their idle blocks. They compare asked(), the number of requests so
  // far, in MemoryCache::maintain().
  virtual void ask() noexcept = 0;
  virtual std::uint64_t asked() const noexcept = 0;
};

// State of a quota, initially zero. May be in memory shared by several processes.
struct QuotaState {
  std::atomic<std::uint64_t> in_use{0}, asked{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

// Quota with a state that must outlive it. All users of the same state must pass the same limit.
class SharedQuota final : public Quota {
 public:
  SharedQuota(QuotaState& state, std::size_t limit) : state_(state), limit_(limit) {}

  bool take(std::size_t bytes) noexcept override {
    std::uint64_t used = state_.in_use.load(std::memory_order_relaxed);
    do {
      if (used > limit_ || bytes > limit_ - used) return false;
    } while (!state_.in_use.compare_exchange_weak(used, used + bytes, std::memory_order_acq_rel));
    return true;
  }
  void give(std::size_t bytes) noexcept override {
    state_.in_use.fetch_sub(bytes, std::memory_order_acq_rel);
  }
  std::size_t in_use() const noexcept override { return state_.in_use.load(std::memory_order_relaxed); }
  std::size_t limit() const noexcept override { return limit_; }
  void ask() noexcept override { state_.asked.fetch_add(1, std::memory_order_acq_rel); }
  std::uint64_t asked() const noexcept override { return state_.asked.load(std::memory_order_acquire); }

 private:
  QuotaState& state_;
  const std::size_t limit_;
};

}  // namespace meander::gpu
