// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The constraints of CCZ4 in the history and in plot files.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulation/config/field_names.hpp"
#include "simulation/module.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

const std::string puncture = R"([domain]
lower = [-3, -3, -3]
upper = [3, 3, 3]
cells = [2, 2, 2]
[boundary]
all = "scenario"
[mesh]
patch-size = 10
min-level = 1
max-level = 2
buffer = 0
[[refinement]]
kind = "ball"
centre = [-1.5, -1.5, -1.5]
radius = 0.5
[solver]
equation = "ccz4"
[scenario]
name = "puncture"
centre = [-1.5, -1.5, -1.5]
[output]
fields = ["hamiltonian", "momentum", "ordering_phi"]
)";

std::map<std::string, double> measured_constraints(Simulation& simulation) {
  std::map<std::string, double> measures;
  for (const Measure& measure : simulation.measures()) measures[measure.name] = measure.value;
  return measures;
}

const solvers::PatchQuantity& quantity(const solvers::Solver& solver, const std::string& name) {
  const auto& all = solver.patch_quantities();
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

struct Norms {
  double square = 0, volume = 0, largest = 0;
  double l2() const { return std::sqrt(square / volume); }
};

// Norms over the fields of plot files, volume by volume.
Norms norms_of(Simulation& simulation, const std::vector<std::string>& names, double radius, int level) {
  const StateView view = simulation.view();
  Norms norms;
  std::vector<double> values(static_cast<std::size_t>(view.layout.volumes()));
  for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
    if (level >= 0 && view.levels[leaf] != level) continue;
    const auto& patch = view.patches[leaf];
    for (const std::string& name : names) {
      quantity(simulation.solver(), name).values(nullptr, patch, view.layout, values);
      for (std::size_t v = 0; v < values.size(); ++v) {
        const int p = view.layout.p, n = static_cast<int>(v);
        const double x = patch.lower[0] + (n % p + 0.5) * patch.dx,
                     y = patch.lower[1] + (n / p % p + 0.5) * patch.dx,
                     z = patch.lower[2] + (n / p / p + 0.5) * patch.dx;
        if (std::hypot(x + 1.5, y + 1.5, z + 1.5) < radius) continue;
        const double volume = patch.dx * patch.dx * patch.dx;
        norms.square += values[v] * values[v] * volume;
        norms.volume += volume / static_cast<double>(names.size());
        norms.largest = std::max(norms.largest, std::abs(values[v]));
      }
    }
  }
  return norms;
}

TEST(ConstraintsLong, OfTheHistoryAreNormsOfTheFieldsOutsideTheBall) {
  for (const double radius : {0.0, 0.7}) {
    const Config config = physics_input(puncture, {fmt::format("diagnostics.exclude-radius={}", radius)});
    const auto simulation = make_simulation(config, 2);
    simulation->advance(0.05);
    const auto measures = measured_constraints(*simulation);
    for (const int level : {-1, 1, 2}) {
      const std::string suffix = level < 0 ? "" : fmt::format("_level_{}", level);
      const auto expect = [&](const std::string& name, const std::vector<std::string>& fields) {
        const Norms norms = norms_of(*simulation, fields, radius, level);
        EXPECT_GT(norms.largest, 0.0) << name;
        EXPECT_NEAR(measures.at(name + "_l2" + suffix) / norms.l2(), 1.0, 1e-12) << name;
        EXPECT_EQ(measures.at(name + "_linf" + suffix), norms.largest) << name;
      };
      expect("hamiltonian", {"hamiltonian"});
      expect("momentum", {"momentum_x", "momentum_y", "momentum_z"});
      expect("connection", {"connection"});
      for (const char* of : {"lapse", "shift", "metric", "phi"})
        expect(fmt::format("ordering_{}", of), {fmt::format("ordering_{}", of)});
    }
  }
}

// 0 would say that the constraints hold. The finest leaves fill the cube from -3 to 0.
TEST(Constraints, OfALevelWithoutVolumesAreNoNumbers) {
  for (const std::vector<std::string>& none :
       {std::vector<std::string>{"refinement[0].radius=0", "diagnostics.exclude-radius=1"},
        std::vector<std::string>{"diagnostics.exclude-radius=2.9"}}) {
    const auto simulation = make_simulation(physics_input(puncture, none), 1);
    int of_level = 0;
    for (const auto& [name, value] : measured_constraints(*simulation)) {
      if (name.ends_with("_level_2")) {
        ++of_level;
        EXPECT_TRUE(std::isnan(value)) << name << " = " << value;
      }
      if (name.starts_with("hamiltonian") && !name.ends_with("_level_2")) {
        EXPECT_GT(value, 0.0) << name;
      }
    }
    EXPECT_EQ(of_level, 14);
  }
}

TEST(Constraints, ArePlotFields) {
  const Config config = physics_input(puncture);
  const auto names = plot_names(*config.solver);
  for (const char* name : {"hamiltonian", "momentum_x", "momentum", "connection", "ordering_lapse",
                           "ordering_shift", "ordering_metric", "ordering_phi", "level"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const std::string& name : names) EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  try {
    physics_input(puncture, {"output.fields=[\"hamiltonain\"]"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'hamiltonian'?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace meander::simulation
