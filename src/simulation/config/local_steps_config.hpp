// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Conditions of local time steps, time.stepping = "local".

#include "io/key_table.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// Rejects schemes, devices, scenarios and intervals of regrids with which local time steps do not exist or
// are not safe. `time` and `mesh`: the tables of these names.
void check_local_steps(const io::KeyTable& time, const io::KeyTable& mesh, const Config& config);

}  // namespace meander::simulation
