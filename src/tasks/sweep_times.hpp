// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Wall-clock time of the phases of a step.

namespace meander::tasks {

// Seconds spent in the phases of all steps so far, of the slowest thread.
struct SweepTimes {
  double update = 0, flux_correction = 0, halo = 0;
  double waiting = 0;   // for messages, reductions and devices
  double messages = 0;  // of these, for other ranks
};

}  // namespace meander::tasks
