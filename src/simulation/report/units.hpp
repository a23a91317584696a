// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::simulation {

inline constexpr double mega = 1e6, milli = 1e-3, micro = 1e-6, nano = 1e-9;

}  // namespace meander::simulation
