// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jumps of the initial data, for the warning that the criteria do not see them.

#include <string>
#include <vector>

#include "simulation/config/config.hpp"
#include "simulation/state_view.hpp"

namespace meander::simulation {

// The unknowns that differ between two neighbouring volumes of the domain by more than both a fraction
// least_jump_of_range of what they differ by in the whole domain and a fraction least_jump_of_value of their
// largest absolute value. Smooth data that eight volumes a wavelength resolve have none, nor have differences near
// round-off (of an unknown that is smaller than negligible times the largest one). Halos across faces must be full. Collective.
inline constexpr double least_jump_of_range = 0.4, least_jump_of_value = 0.1, negligible = 1e-6;
std::vector<std::string> jumping_unknowns(const StateView& state, const Config& config);

// Warning that no criterion refines data with these jumps, which are not empty.
std::string unrefined_jumps_warning(const std::vector<std::string>& unknowns, int level);

}  // namespace meander::simulation
