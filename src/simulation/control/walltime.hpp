// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace meander::simulation {

// The wall time limit of a job as users write it, in seconds. Accepts the formats of Slurm: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes, days-hours:minutes:seconds. Throws InputError if it is none of these, or 0, or if a number but the
// first makes up one of the unit before it, as in 1:00:61.
double parse_walltime(const std::string& text);

}  // namespace meander::simulation
