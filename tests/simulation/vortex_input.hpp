// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/reference/vortex.hpp"

namespace meander::simulation {

// The table [scenario] that starts with this vortex, by the means of Vortex::mean().
inline std::string vortex_scenario(const reference::Vortex& vortex) {
  return fmt::format(R"toml([scenario]
name = "formulas"
samples-per-axis = 3
[scenario.constants]
u = {}
v = {}
swirl = {}
radius = {}
x0 = {}
y0 = {}
depth = "0.5 * (gamma - 1) / gamma * swirl^2"
[scenario.fields]
density = "(1 - depth * exp(1 - ((x - x0)^2 + (y - y0)^2) / radius^2))^(1 / (gamma - 1))"
velocity-x = "u - swirl * (y - y0) / radius * exp(0.5 * (1 - ((x - x0)^2 + (y - y0)^2) / radius^2))"
velocity-y = "v + swirl * (x - x0) / radius * exp(0.5 * (1 - ((x - x0)^2 + (y - y0)^2) / radius^2))"
pressure = "(1 - depth * exp(1 - ((x - x0)^2 + (y - y0)^2) / radius^2))^(gamma / (gamma - 1))"
)toml",
                     vortex.velocity[0], vortex.velocity[1], vortex.swirl, vortex.radius, vortex.centre[0],
                     vortex.centre[1]);
}

}  // namespace meander::simulation
