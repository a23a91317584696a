// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// mesh.regrid-every, the number of steps between two regrids. In between, signals must not leave the refined buffer
// around the leaves that a criterion has found by the solution. A signal crosses at most solver.cfl of the finest
// volumes in a step of theirs, which has all stages of the scheme. A step has one of these, with local time steps
// up to 3 times as many for each subcycled level.

#include <string>

#include "io/key_table.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

inline const std::string chosen_interval = "auto";  // the value of the key with which the program chooses

// Declares the key.
void describe_regrid_interval(io::KeyTable& keys, io::IntegerOrWord& given);

// The interval: `given`, or the largest one up to 16 in which signals stay within the buffer; 1 if none is so short and
// time steps are global; 8 if no criterion reads the state. It follows from the input alone, so that a restart finds
// it again, and becomes the comment of the key. Rejects local time steps with which signals may leave
// the buffer. `mesh`: the table of this name.
int regrid_interval(io::KeyTable& mesh, const Config& config, const io::IntegerOrWord& given);

// The interval of a configuration in words, and how far signals travel within it.
std::string regrid_text(const Config& config);

}  // namespace meander::simulation
