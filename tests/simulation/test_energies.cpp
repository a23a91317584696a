// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// diagnostics.energies: kinetic and thermal energy add up to the total energy, and are known for a uniform flow.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

std::map<std::string, double> measures_of(Simulation& simulation) {
  std::map<std::string, double> all;
  for (const Measure& measure : simulation.measures()) all[measure.name] = measure.value;
  return all;
}

TEST(Energies, AreColumnsOnRequestOnly) {
  EXPECT_EQ(measures_of(*make_simulation(shipped_input("uniform"), 1)).count("kinetic_energy"), 0u);
}

TEST(Energies, OfAUniformFlowAreKnown) {
  const Config config = physics_input(
      "[domain]\ndimensions = 3\nupper = [2, 2, 2]\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = "
      "2\n[[refinement]]\n"
      "kind = \"ball\"\nradius = 0.3\n[solver]\ngamma = 1.5\n[diagnostics]\nenergies = true\n"
      "[scenario]\nname = \"uniform\"\ndensity = 2\npressure = 0.25\nvelocity = [1, 2, -2]\n");
  auto measures = measures_of(*make_simulation(config, 1));
  EXPECT_NEAR(measures.at("kinetic_energy"), 8 * 0.5 * 2 * 9, 1e-12 * 72);
  EXPECT_NEAR(measures.at("thermal_energy"), 8 * 0.25 / 0.5, 1e-12 * 76);
}

TEST(Energies, AddUpToTheTotalInABlast) {
  const auto simulation =
      run(shipped_input("sedov-2d", {"mesh.max-level=3", "diagnostics.energies=true"}), 20);
  auto measures = measures_of(*simulation);
  const double total = simulation->totals().back();
  EXPECT_GT(measures.at("kinetic_energy"), 0.01 * total);
  EXPECT_NEAR(measures.at("kinetic_energy") + measures.at("thermal_energy"), total, 1e-13 * total);
}

TEST(Energies, BelongToTheEulerEquations) {
  try {
    physics_input(
        "[boundary]\nall = \"scenario\"\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\n"
        "[diagnostics]\nenergies = true\n");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("diagnostics.energies: has no meaning for equation = 'ccz4'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace meander::simulation
