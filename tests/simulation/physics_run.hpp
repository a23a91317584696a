// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs for physics tests, from a few lines of input.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "simulation/scenario.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

inline constexpr double pi = std::numbers::pi;

inline Config physics_input(const std::string& text, const std::vector<std::string>& settings = {}) {
  return load_config_text(text, "test.toml", settings, scenarios(), 1e10);
}

// The message that refuses an input, or "accepted".
inline std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    physics_input(text, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

inline Config shipped_input(const std::string& name, const std::vector<std::string>& settings = {}) {
  return load_config(std::string(MEANDER_SOURCE_DIR) + "/inputs/" + name + ".toml", settings);
}

// Advances to the end of the run or by max_steps, whichever comes first.
inline std::unique_ptr<Simulation> run(const Config& config, int max_steps = 1 << 30) {
  auto simulation = make_simulation(config, available_processors());
  while (simulation->time() < config.time.end && simulation->step() < max_steps)
    simulation->advance(config.time.end);
  return simulation;
}

// A volume of the state: centre, width, unknowns.
struct Volume {
  double x[3] = {0, 0, 0};
  double dx = 0;
  double q[solvers::most_unknowns] = {};
};

inline void for_volumes(Simulation& simulation, const std::function<void(const Volume&)>& body) {
  const StateView view = simulation.view();
  const auto& layout = view.layout;
  for (const auto& patch : view.patches) {
    Volume volume;
    volume.dx = patch.dx;
    for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j) {
        for (int i = 0; i < layout.p; ++i) {
          const int at[3] = {i, j, k};
          for (int d = 0; d < layout.dim; ++d) volume.x[d] = patch.lower[d] + (at[d] + 0.5) * patch.dx;
          for (int u = 0; u < layout.unknowns; ++u) volume.q[u] = patch.q[layout.at(u, i, j, k)];
          body(volume);
        }
      }
    }
  }
}

inline double measured(Simulation& simulation, const std::string& name) {
  for (const Measure& measure : simulation.config().scenario->measure(simulation.view())) {
    if (measure.name == name) return measure.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

// Of the history.
inline double column(Simulation& simulation, const std::string& name) {
  for (const Measure& measure : simulation.measures()) {
    if (measure.name == name) return measure.value;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

inline void advance_to(Simulation& simulation, double time) {
  while (simulation.time() < time) simulation.advance(time);
}

}  // namespace meander::simulation
