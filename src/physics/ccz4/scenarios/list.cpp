// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/module.hpp"

namespace meander::ccz4 {

std::unique_ptr<simulation::Scenario> make_gauge_wave(), make_linear_wave(), make_minkowski(),
    make_kerr_schild(), make_puncture(), make_binary();

// In the order of the documentation. Each scenario is a file in this folder and a line in this list.
std::vector<simulation::ScenarioEntry> scenario_list() {
  return {
      {"gauge-wave", "gauge wave: flat space in oscillating coordinates", {3}, make_gauge_wave},
      {"linear-wave", "weak gravitational wave", {3}, make_linear_wave},
      {"minkowski", "flat space, optionally with noise", {3}, make_minkowski},
      {"kerr-schild",
       "exterior of a black hole with spin, in Kerr-Schild coordinates",
       {3},
       make_kerr_schild},
      {"puncture", "black hole at rest, as a puncture", {3}, make_puncture},
      {"binary", "two black holes with momenta and spins, as punctures", {3}, make_binary},
  };
}

}  // namespace meander::ccz4
