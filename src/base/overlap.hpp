// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Overlap of communication and computation: the part of the time in which messages (or batches on devices)
// are under way that threads spend on updates.

#include <atomic>
#include <cstdint>

#include "base/timer.hpp"

namespace meander {

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

// All functions may be called by any thread, without locks. Times are readings of steady_nanoseconds().
class OverlapMeter {
 public:
  // begin() while something is under way has no effect, nor has end() otherwise.
  void begin(std::int64_t now = steady_nanoseconds()) {
    std::int64_t total = state_.load();
    while (total >= 0 && !state_.compare_exchange_weak(total, total - now - 1)) {
    }
  }
  void end(std::int64_t now = steady_nanoseconds()) {
    std::int64_t since = state_.load();
    while (since < 0 && !state_.compare_exchange_weak(since, since + now + 1)) {
    }
  }
  // Nanoseconds under way until `now`.
  std::int64_t until(std::int64_t now) const {
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    return state >= 0 ? state : state + now + 1;
  }
  // Nanoseconds that a thread has spent on updates while communication was under way.
  void add_hidden(std::int64_t nanoseconds) { hidden_.fetch_add(nanoseconds, std::memory_order_relaxed); }
  // Nanoseconds in which batches were under way at the same time.
  void add_batches(std::int64_t nanoseconds) { batches_.fetch_add(nanoseconds, std::memory_order_relaxed); }

  // In seconds times threads. Requires that nothing is under way.
  OverlapTime time(int threads) const {
    constexpr double nano = 1e-9;
    return {nano * static_cast<double>(until(steady_nanoseconds())) * threads,
            nano * static_cast<double>(hidden_.load()),
            nano * static_cast<double>(batches_.load()) * threads};
  }

 private:
  // Nothing under way: the total, which is not negative. Otherwise total - since - 1, where `since` is the
  // last begin().
  std::atomic<std::int64_t> state_{0};
  std::atomic<std::int64_t> hidden_{0}, batches_{0};
};

// A piece of work of one thread, from construction to end() or destruction: adds to each meter the time that
// was under way meanwhile. A meter may be null; without meters the clock is not read.
class OverlapScope {
 public:
  explicit OverlapScope(OverlapMeter* messages, OverlapMeter* batches = nullptr)
      : messages_(messages), batches_(batches), is_open_(messages != nullptr || batches != nullptr) {
    if (!is_open_) return;
    begin_ = steady_nanoseconds();
    if (messages_ != nullptr) messages_before_ = messages_->until(begin_);
    if (batches_ != nullptr) batches_before_ = batches_->until(begin_);
  }
  ~OverlapScope() { end(); }
  OverlapScope(const OverlapScope&) = delete;
  OverlapScope& operator=(const OverlapScope&) = delete;

  // Returns the length of the scope in seconds; 0 without meters, or after an earlier end().
  double end() {
    if (!is_open_) return 0;
    is_open_ = false;
    const std::int64_t now = steady_nanoseconds();
    if (messages_ != nullptr) messages_->add_hidden(messages_->until(now) - messages_before_);
    if (batches_ != nullptr) batches_->add_hidden(batches_->until(now) - batches_before_);
    constexpr double nano = 1e-9;
    return nano * static_cast<double>(now - begin_);
  }

 private:
  OverlapMeter* const messages_;
  OverlapMeter* const batches_;
  bool is_open_;
  std::int64_t begin_ = 0, messages_before_ = 0, batches_before_ = 0;
};

}  // namespace meander
