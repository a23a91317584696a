// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How much of what travels is hidden: of the time that messages (or batches on devices) are under way, the
// part that threads spend on updates.

#include <atomic>
#include <cstdint>

#include "base/stopwatch.hpp"

namespace meander::tasks {

// Any thread may call any function.
class Overlap {
 public:
  void begin() { clock_.start(steady_nanoseconds()); }
  void end() { clock_.stop(steady_nanoseconds()); }
  bool under_way() const { return clock_.running(); }
  // Nanoseconds under way until `now`.
  std::int64_t until(std::int64_t now) const { return clock_.elapsed(now); }
  // A thread has spent so many of them on updates.
  void add_hidden(std::int64_t nanoseconds) { hidden_.fetch_add(nanoseconds, std::memory_order_relaxed); }

  // Batches have been under way for so many of them.
  void add_batches(std::int64_t nanoseconds) { batches_.fetch_add(nanoseconds, std::memory_order_relaxed); }

  // Seconds times threads; to be asked while nothing is under way.
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

// One piece of work of a thread, which hides what is under way meanwhile. The second overlap may be null.
class Hiding {
 public:
  Hiding(Overlap& messages, Overlap* batches)
      : messages_(messages), batches_(batches), begin_(steady_nanoseconds()) {
    messages_before_ = messages_.until(begin_);
    if (batches_ != nullptr) batches_before_ = batches_->until(begin_);
  }
  // Its end. Returns the seconds it took.
  double end() {
    const std::int64_t now = steady_nanoseconds();
    messages_.add_hidden(messages_.until(now) - messages_before_);
    if (batches_ != nullptr) batches_->add_hidden(batches_->until(now) - batches_before_);
    constexpr double nano = 1e-9;
    return nano * static_cast<double>(now - begin_);
  }

 private:
  Overlap& messages_;
  Overlap* const batches_;
  const std::int64_t begin_;
  std::int64_t messages_before_ = 0, batches_before_ = 0;
};

}  // namespace meander::tasks
