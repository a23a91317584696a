// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What each scenario's file gives to the table of scenarios().

#include <memory>

#include "simulation/scenario.hpp"

namespace meander::simulation {

std::unique_ptr<Scenario> make_accretion();
std::unique_ptr<Scenario> make_binary();
std::unique_ptr<Scenario> make_gauge_wave();
std::unique_ptr<Scenario> make_kerr_schild();
std::unique_ptr<Scenario> make_linear_wave();
std::unique_ptr<Scenario> make_minkowski();
std::unique_ptr<Scenario> make_puncture();
std::unique_ptr<Scenario> make_riemann_2d();
std::unique_ptr<Scenario> make_sedov();
std::unique_ptr<Scenario> make_sod();
std::unique_ptr<Scenario> make_uniform();
std::unique_ptr<Scenario> make_vortex();

}  // namespace meander::simulation
