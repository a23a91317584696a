// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of Fumero et al. (MPLR 2023) with our memory strategies: kernels whose data is allocated always,
// or once, with and without the host touching it between launches.

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "page_counters.hpp"

namespace meander::bench {

struct StudyLoad {
  std::size_t items = std::size_t{1} << 22;  // of kernels that take linear time
  std::size_t quadratic_items = 2048;        // of the others
  int iterations = 11;
};

struct StudyRow {
  std::string kernel, strategy, mode;
  double kernel_ms, total_ms;  // medians of an iteration: launch to end; with memory and what the host does
  PageCounts pages;            // of all iterations; zero if nothing counts them
};

// `counters` may be null. All kernels with those strategies that exist on the device. Throws Failure if two
// strategies disagree about a result by a bit.
std::vector<StudyRow> study(gpu::Device& device, const StudyLoad& load, PageCounters* counters = nullptr);

}  // namespace meander::bench
