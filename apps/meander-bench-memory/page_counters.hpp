// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Page faults and bytes that the driver moves between host and device for managed memory, as CUPTI counts
// them.

#include <cstdint>
#include <string>

namespace meander::bench {

struct PageCounts {
  std::int64_t cpu_faults = 0, gpu_faults = 0;  // groups of them, as the driver handles them
  std::int64_t bytes_to_device = 0, bytes_to_host = 0;
};

class PageCounters {
 public:
  // Of the CUDA device of that number; one object at a time.
  explicit PageCounters(int device);
  ~PageCounters();
  PageCounters(const PageCounters&) = delete;
  PageCounters& operator=(const PageCounters&) = delete;

  // Why nothing is counted; empty if it is.
  const std::string& why_not() const { return why_not_; }
  // Since the last call. All work must have ended.
  PageCounts take();

 private:
  std::string why_not_;
};

}  // namespace meander::bench
