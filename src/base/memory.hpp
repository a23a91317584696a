// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander {

// Bytes this process can still take without swapping: what the kernel calls MemAvailable, bounded by the
// control group's limit where there is one.
double available_memory();

// The most bytes of memory this process has held so far.
double peak_memory();

}  // namespace meander
