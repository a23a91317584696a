// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Overlap of communication and computation: the part of the time in which messages (or batches on devices)
// are under way that threads spend on updates.

#include <atomic>
#include <cstdint>

#include "base/stopwatch.hpp"

namespace meander::tasks {

// All functions may be called by any thread.
class OverlapMeter {
 public:
  void begin() { clock_.start(steady_nanoseconds()); }
  void end() { clock_.stop(steady_nanoseconds()); }
  // Nanoseconds under way until `now`.
  std::int64_t until(std::int64_t now) const { return clock_.elapsed(now); }
  // Nanoseconds that a thread has spent on updates while communication was under way.
  void add_hidden(std::int64_t nanoseconds) { hidden_.fetch_add(nanoseconds, std::memory_order_relaxed); }
  // Nanoseconds in which batches were under way at the same time.
  void add_batches(std::int64_t nanoseconds) { batches_.fetch_add(nanoseconds, std::memory_order_relaxed); }

  // In seconds times threads. Requires that nothing is under way.
  OverlapTime time(int threads) const {
    constexpr double nano = 1e-9;
    return {nano * static_cast<double>(clock_.elapsed(steady_nanoseconds())) * threads,
            nano * static_cast<double>(hidden_.load()),
            nano * static_cast<double>(batches_.load()) * threads};
  }

 private:
  Stopwatch clock_;
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

}  // namespace meander::tasks
