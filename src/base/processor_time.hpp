// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander {

// Processor time of this process so far, all threads, user and system, in seconds. Unlike wall time it hardly depends on
// other processes of the machine. A thread that polls for messages takes it, one that sleeps does not.
double processor_seconds();

}  // namespace meander
