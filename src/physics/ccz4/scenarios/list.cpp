// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/scenarios/list.hpp"

namespace meander::ccz4 {

std::unique_ptr<simulation::Scenario> make_gauge_wave(), make_linear_wave(), make_minkowski(),
    make_kerr_schild(), make_puncture(), make_binary();

// In the order in which users see them. Each is a file beside this one and a line here.
std::vector<simulation::ScenarioEntry> scenario_list() {
  return {
      {"gauge-wave", "flat space in wavy coordinates", {3}, make_gauge_wave},
      {"linear-wave", "a weak gravitational wave", {3}, make_linear_wave},
      {"minkowski", "flat space, perhaps with noise", {3}, make_minkowski},
      {"kerr-schild", "the surroundings of a black hole that may spin", {3}, make_kerr_schild},
      {"puncture", "a black hole at rest, without its interior", {3}, make_puncture},
      {"binary", "two black holes that may move and spin, without their interiors", {3}, make_binary},
  };
}

}  // namespace meander::ccz4
