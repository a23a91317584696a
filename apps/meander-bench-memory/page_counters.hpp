// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Page faults and bytes that the driver migrates between host and device for managed memory, counted by
// CUPTI.

#include <cstdint>
#include <string>

namespace meander::bench {

struct PageCounts {
  std::int64_t cpu_faults = 0, gpu_faults = 0;  // groups of page faults, as the driver handles them
  std::int64_t bytes_to_device = 0, bytes_to_host = 0;
};

class PageCounters {
 public:
  // Counters of the CUDA device with that number. Only one object may exist at a time.
  explicit PageCounters(int device);
  ~PageCounters();
  PageCounters(const PageCounters&) = delete;
  PageCounters& operator=(const PageCounters&) = delete;

  // Reason for which counting is unavailable; empty if it is available.
  const std::string& why_not() const { return why_not_; }
  // Counts since the last call. All work on the device must have ended.
  PageCounts take();

 private:
  std::string why_not_;
};

}  // namespace meander::bench
