// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory bandwidth of this machine, measured in the same run as the kernels.

#include <cstddef>

#include "base/thread_team.hpp"

namespace meander::bench {

// Bytes read plus bytes written per nanosecond (GB/s): the maximum over several copies of `bytes` bytes. Each
// thread of the team copies one part.
double copy_bandwidth(ThreadTeam& team, std::size_t bytes);

}  // namespace meander::bench
