// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of Fumero et al. (MPLR 2023) with Meander's memory strategies: kernels whose data is allocated
// for every launch, or once, with and without host accesses between launches.

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "page_counters.hpp"

namespace meander::bench {

struct StudyLoad {
  std::size_t items = std::size_t{1} << 22;  // of kernels of linear complexity
  std::size_t quadratic_items = 2048;        // of kernels of quadratic complexity
  int iterations = 11;
};

struct StudyRow {
  std::string kernel, strategy, mode;
  double kernel_ms, total_ms;  // medians over iterations: launch to end; including memory and host accesses
  PageCounts pages;            // sum over all iterations; zero without counters
};

// Runs all kernels with the strategies that the device supports. `counters` may be null. Throws Failure if
// the results of two strategies are not bitwise identical.
std::vector<StudyRow> study(gpu::Device& device, const StudyLoad& load, PageCounters* counters = nullptr);

}  // namespace meander::bench
