// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace meander {

// The name of this machine's processor, as the kernel has it: "AMD EPYC 9755 128-Core Processor"; empty: not known.
std::string processor_name();

// Bytes that this process can allocate without swapping: MemAvailable of the kernel, bounded by the limit of
// the control group if there is one.
double available_memory();

// Bytes that this process may still map under its limit of address space (ulimit -v); infinite without a limit.
double available_address_space();

// Peak resident memory of this process, in bytes.
double peak_memory();

// Processor time of this process so far, all threads, user and system, in seconds. Unlike wall time it hardly depends on
// other processes of the machine. A thread that polls for messages takes it, one that sleeps does not.
double processor_seconds();

// That of the calling thread alone, in the resolution of the system's clock.
double thread_processor_seconds();

}  // namespace meander
