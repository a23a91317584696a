// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Limits how often a thread polls messages: a poll costs about a microsecond.

#include <cstdint>

#include "base/timer.hpp"

namespace meander::tasks {

class PollInterval {
 public:
  // True at the first call, and then once the interval is over since it last was.
  bool is_over() {
    constexpr std::int64_t nanoseconds = 10'000;
    const std::int64_t now = steady_nanoseconds();
    if (now - last_ < nanoseconds) return false;
    last_ = now;
    return true;
  }

 private:
  std::int64_t last_ = 0;
};

}  // namespace meander::tasks
