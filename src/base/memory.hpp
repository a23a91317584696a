// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander {

// Bytes that this process can allocate without swapping: MemAvailable of the kernel, bounded by the limit of
// the control group if there is one.
double available_memory();

// Bytes that this process may still map under its limit of address space (ulimit -v); infinite without a limit.
double available_address_space();

// Peak resident memory of this process, in bytes.
double peak_memory();

}  // namespace meander
