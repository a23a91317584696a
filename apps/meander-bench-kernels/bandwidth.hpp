// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What this machine's memory gives, measured in the same run as the kernels.

#include <cstddef>

#include "base/thread_team.hpp"

namespace meander::bench {

// Bytes read plus bytes written per nanosecond (GB/s), the best of several copies of `bytes` bytes by all
// threads of the team, each its own part.
double copy_bandwidth(ThreadTeam& team, std::size_t bytes);

}  // namespace meander::bench
