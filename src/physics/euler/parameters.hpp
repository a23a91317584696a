// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the Euler solver is told by the input file. Trivially copyable: it travels to a device as it is.

#include <cstdint>
#include "physics/euler/names.hpp"

namespace meander::euler {

struct Parameters {
  double gamma = 1.4;          // ratio of specific heats, > 1
  double density_floor = 0.0;  // 0: none; a state below it is lifted, and counted
  double pressure_floor = 0.0;
};

}  // namespace meander::euler
