// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// For how long something has been under way so far, and how much of that time others used: what is hidden.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace meander {

// Nanoseconds of a monotonic clock.
inline std::int64_t steady_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A clock that runs from begin() to end(), again and again. Any thread may call any function; a begin() while
// it runs and an end() while it does not change nothing.
class UnderWay {
 public:
  void begin(std::int64_t now) {
    std::int64_t total = state_.load();
    while (total >= 0 && !state_.compare_exchange_weak(total, total - now - 1)) {
    }
  }
  void end(std::int64_t now) {
    std::int64_t since = state_.load();
    while (since < 0 && !state_.compare_exchange_weak(since, since + now + 1)) {
    }
  }
  // Nanoseconds that it has run until `now`.
  std::int64_t until(std::int64_t now) const {
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    return state >= 0 ? state : state + now + 1;
  }
  bool running() const { return state_.load(std::memory_order_relaxed) < 0; }

 private:
  // Not negative: stopped, the total. Negative: total - since - 1, `since` being when it last began.
  std::atomic<std::int64_t> state_{0};
};

// Time under way, and what threads did meanwhile, in thread-seconds.
struct HiddenTime {
  double under_way = 0;  // seconds times threads
  double hidden = 0;     // of these, spent on updates
  double batches = 0;    // of these (of messages): while batches were under way, too
  // 1 where nothing was under way.
  double share() const { return under_way > 0 ? hidden / under_way : 1; }
  double batches_share() const { return under_way > 0 ? batches / under_way : 1; }
};

}  // namespace meander
