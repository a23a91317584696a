// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Wall-clock time of a piece of work, for the figures of a run and for its trace.

#include <chrono>
#include <cstdint>

#include "base/trace.hpp"

namespace meander {

// Nanoseconds of a monotonic clock.
inline std::int64_t steady_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Adds the seconds from construction to destruction to `total`. With a name, it is also a trace::Scope.
class Timer {
 public:
  explicit Timer(double& total, const char* name = nullptr, std::int64_t value = trace::no_value)
      : Timer(&total, nullptr, name, value) {}
  // Adds to both figures; `part` is a subset of `total`.
  Timer(double& total, double& part, const char* name = nullptr, std::int64_t value = trace::no_value)
      : Timer(&total, &part, name, value) {}
  ~Timer() {
    const double seconds = seconds_since(begin_);
    *total_ += seconds;
    if (part_ != nullptr) *part_ += seconds;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Timer(double* total, double* part, const char* name, std::int64_t value)
      : scope_(name, value), total_(total), part_(part) {}

  const trace::Scope scope_;  // a null name records nothing
  double* const total_;
  double* const part_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace meander
