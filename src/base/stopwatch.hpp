// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stopwatch for communication/computation overlap.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace meander {

// Nanoseconds of a monotonic clock.
inline std::int64_t steady_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Sums the intervals between start() and stop(). Thread-safe and lock-free. start() on a running stopwatch
// and stop() on a stopped one have no effect. Times are readings of steady_nanoseconds().
class Stopwatch {
 public:
  void start(std::int64_t now) {
    std::int64_t total = state_.load();
    while (total >= 0 && !state_.compare_exchange_weak(total, total - now - 1)) {
    }
  }
  void stop(std::int64_t now) {
    std::int64_t since = state_.load();
    while (since < 0 && !state_.compare_exchange_weak(since, since + now + 1)) {
    }
  }
  // Nanoseconds in all intervals until `now`; includes the current interval.
  std::int64_t elapsed(std::int64_t now) const {
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    return state >= 0 ? state : state + now + 1;
  }
  bool running() const { return state_.load(std::memory_order_relaxed) < 0; }

 private:
  // Stopped: the total, which is not negative. Running: total - since - 1, where `since` is the last start.
  std::atomic<std::int64_t> state_{0};
};

// Duration of asynchronous operations (messages or device batches), and the part of it that computation
// hides. Unit: seconds times threads.
struct OverlapTime {
  double under_way = 0;  // at least one operation was in progress
  double hidden = 0;     // subset of under_way in which a thread updated patches
  double batches = 0;    // of messages only: subset of under_way in which a device batch was in progress, too
  OverlapTime& operator+=(const OverlapTime& other) {
    under_way += other.under_way;
    hidden += other.hidden;
    batches += other.batches;
    return *this;
  }
  // Fractions of under_way; 1 if no operation was in progress.
  double share() const { return under_way > 0 ? hidden / under_way : 1; }
  double batches_share() const { return under_way > 0 ? batches / under_way : 1; }
};

}  // namespace meander
