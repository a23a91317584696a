// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The wall time a job may take, as users write it.

#include <string>

namespace meander::simulation {

// Seconds. Reads what Slurm reads: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes, days-hours:minutes:seconds. Throws InputError if it is none of these, or 0.
double parse_walltime(const std::string& text);

}  // namespace meander::simulation
