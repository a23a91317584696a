// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Every input that is shipped runs: some steps on a coarser mesh, with figures to compare to.

#include <filesystem>
#include <set>

#include "base/exact_sum.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

struct InputCase {
  std::string name;
  std::vector<std::string> settings;
  int steps;
  double time, density_squared;  // after those steps; the integral of rho^2
};

const std::vector<InputCase>& cases() {
  static const std::vector<InputCase> list = {
      {"accretion-2d", {"mesh.max-level=3"}, 40, -25.8775543758, 4.0012533587},
      {"accretion-3d", {"mesh.max-level=2"}, 40, -25.8775543758, 8.00093967934},
      {"accretion-3d-fine", {"mesh.max-level=3"}, 20, -28.6062951293, 8.00094140569},
      {"binary", {"mesh.max-level=1"}, 5, 0.5, 13824.0133741},
      {"puncture", {"mesh.max-level=1"}, 5, 0.5, 5832.00048971},
      {"riemann-2d", {"mesh.max-level=3"}, 40, 0.0188227984125, 0.204617111907},
      {"sedov-2d", {"mesh.max-level=3"}, 40, 0.00145955255522, 1.00212078292},
      {"sedov-3d", {"mesh.max-level=2"}, 20, 0.00251303168811, 1.00050017514},
      {"gauge-wave", {}, 10, 0.0448392450035, 0.0278086634082},
      {"kerr-schild", {}, 5, 0.0537135886556, 35.439342972},
      {"linear-wave", {}, 10, 0.0462962962963, 0.0277777777778},
      {"sod", {}, 40, 0.00686168773812, 0.0560857272182},
      {"uniform", {"mesh.max-level=2"}, 10, 0.0139771690295, 1},
      {"vortex", {}, 40, 0.0261654233787, 3.96881058929},
  };
  return list;
}

class ShippedInput : public testing::TestWithParam<InputCase> {};
INSTANTIATE_TEST_SUITE_P(Inputs, ShippedInput, testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(ShippedInput, RunsAndGivesItsFigures) {
  const InputCase& shipped = GetParam();
  const auto simulation = run(shipped_input(shipped.name, shipped.settings), shipped.steps);
  EXPECT_EQ(simulation->step(), shipped.steps);
  const int dim = simulation->config().domain.dimensions;
  ExactSum squares;
  for_volumes(*simulation, [&](const Volume& v) { squares.add(v.q[0] * v.q[0] * std::pow(v.dx, dim)); });
  std::printf("%s: {%.12g, %.12g}\n", shipped.name.c_str(), simulation->time(), squares.value());
  EXPECT_NEAR(simulation->time(), shipped.time, 1e-8 * std::abs(shipped.time));
  EXPECT_NEAR(squares.value(), shipped.density_squared, 1e-8 * shipped.density_squared);
}

TEST(ShippedInputs, AreAllTestedAndLoadAsTheyAre) {
  std::set<std::string> tested;
  for (const auto& shipped : cases()) tested.insert(shipped.name);
  for (const auto& entry : std::filesystem::directory_iterator(MEANDER_SOURCE_DIR "/inputs")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    EXPECT_EQ(tested.count(name), 1u) << name;
    EXPECT_NO_THROW(shipped_input(name)) << name;
  }
}

}  // namespace
}  // namespace meander::simulation
