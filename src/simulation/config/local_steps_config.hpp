// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Conditions of local time steps, time.stepping = "local".

#include "io/key_table.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// Rejects schemes, devices and scenarios with which local time steps do not exist. `time`: the table of this name.
// Intervals of regrids: regrid_interval.hpp.
void check_local_steps(const io::KeyTable& time, const Config& config);

}  // namespace meander::simulation
