// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/module.hpp"

namespace meander::euler {

std::unique_ptr<simulation::Scenario> make_accretion(), make_sod(), make_riemann_2d(), make_sedov(),
    make_uniform();

// In the order of the documentation. Each scenario is a file in this folder and a line in this list.
std::vector<simulation::ScenarioEntry> scenario_list() {
  return {
      {"accretion",
       "accretion of gas onto an overdensity in an expanding universe (supercomoving variables)",
       {2, 3},
       make_accretion,
       {},
       {{"gravity", "has moved to gravity.method: \"radial\", the default of this scenario, or \"none\""}}},
      {"sod", "shock tube along one axis", {2, 3}, make_sod},
      {"riemann-2d",
       "two-dimensional Riemann problem: four constant states that meet in a corner",
       {2},
       make_riemann_2d},
      {"sedov", "point explosion in a uniform gas", {2, 3}, make_sedov},
      {"uniform", "uniform flow", {2, 3}, make_uniform},
  };
}

}  // namespace meander::euler
