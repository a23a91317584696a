// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario.hpp"

#include <stdexcept>
#include <utility>

#include "simulation/scenarios/makers.hpp"

namespace meander::simulation {

void Scenario::boundary(const double* x, double dx, double, double* q) const {
  initial(x, dx, q);
}
void Scenario::check_widths(const io::Fields&, const std::vector<double>&) const {}
std::vector<std::array<double, 3>> Scenario::punctures() const {
  return {};
}
void Scenario::prepare_step(const StateView&, solvers::Solver&) {}
std::vector<Measure> Scenario::measure(const StateView&) const {
  return {};
}

namespace {

std::vector<ScenarioEntry>& table_of_scenarios() {
  static std::vector<ScenarioEntry> table = {
      {"accretion",
       "gas falls onto an overdensity in an expanding universe (supercomoving)",
       {2, 3},
       make_accretion},
      {"sod", "shock tube along one axis", {2, 3}, make_sod},
      {"riemann-2d", "four constant states meet in a corner", {2}, make_riemann_2d},
      {"sedov", "point explosion in a uniform gas", {2, 3}, make_sedov},
      {"vortex", "isentropic vortex carried by a uniform flow", {2, 3}, make_vortex},
      {"uniform", "uniform flow", {2, 3}, make_uniform},
      {"gauge-wave", "flat space in wavy coordinates", {3}, make_gauge_wave, "ccz4"},
      {"linear-wave", "a weak gravitational wave", {3}, make_linear_wave, "ccz4"},
      {"minkowski", "flat space, perhaps with noise", {3}, make_minkowski, "ccz4"},
      {"kerr-schild", "the surroundings of a black hole that may spin", {3}, make_kerr_schild, "ccz4"},
      {"puncture", "a black hole at rest, without its inside", {3}, make_puncture, "ccz4"},
      {"binary", "two black holes that may move and spin, without their insides", {3}, make_binary, "ccz4"},
  };
  return table;
}

}  // namespace

const std::vector<ScenarioEntry>& scenarios() {
  return table_of_scenarios();
}

void add_scenario(ScenarioEntry entry) {
  for (const ScenarioEntry& other : scenarios()) {
    if (other.name == entry.name) throw std::invalid_argument("there is a scenario " + entry.name);
  }
  table_of_scenarios().push_back(std::move(entry));
}

}  // namespace meander::simulation
