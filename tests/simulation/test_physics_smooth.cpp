// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Smooth flows: the order of accuracy on a vortex, and a uniform flow that refinement does not disturb.

#include <fmt/format.h>

#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {
namespace {

double vortex_error(int level, const std::string& limiter, const std::string& riemann) {
  const reference::Vortex vortex{.radius = 0.2};
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = 9\nmin-level = {}\n[solver]\nscheme = \"muscl\"\nlimiter = \"{}\"\n"
      "riemann = \"{}\"\n"
      "{}[time]\nend = 0.5\n",
      level, limiter, riemann, vortex_scenario(vortex)));
  const auto simulation = run(config);
  double sum = 0;
  for_volumes(*simulation, [&](const Volume& volume) {
    double exact[5];
    vortex.mean(volume.x[0], volume.x[1], volume.dx, 0.5, exact);
    sum += std::abs(volume.q[0] - exact[0]) * volume.dx * volume.dx;
  });
  return sum;
}

class VortexRunQuick : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(RiemannSolvers, VortexRunQuick, testing::Values("rusanov", "hllc"));

TEST_P(VortexRunQuick, IsOfSecondOrder) {
  const double coarse = vortex_error(2, "mc", GetParam()), fine = vortex_error(3, "mc", GetParam());
  const double order = reference::order_of(coarse, fine, 3);
  std::printf("L1 errors %.3e %.3e, order %.3f\n", coarse, fine, order);
  EXPECT_GE(order, 1.9);
}

class UniformRun : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, UniformRun,
                         testing::Combine(testing::Values(2, 3), testing::Values("rusanov", "muscl")));

// Three levels, a fixed box and a moving ball: data cross refinement jumps in all directions.
TEST_P(UniformRun, StaysUniformThroughRefinementJumps) {
  const int dim = std::get<0>(GetParam());
  const std::string scheme = std::get<1>(GetParam());
  const std::string low = dim == 3 ? "0.1, 0.15, 0.2" : "0.1, 0.15",
                    high = dim == 3 ? "0.3, 0.35, 0.4" : "0.3, 0.35";
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = 7\nmin-level = {}\nmax-level = {}\nregrid-every = 3\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = [{}]\nupper = [{}]\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.05\nspeed = 9.0\nlevel = {}\n"
      "[solver]\nscheme = \"{}\"\n"
      "[scenario]\nname = \"uniform\"\ndensity = 1.3\npressure = 0.7\nvelocity = [{}]\n[time]\nend = 1.0\n",
      dim, dim == 3 ? 0 : 1, dim == 3 ? 2 : 3, low, high, dim == 3 ? 2 : 3, scheme,
      dim == 3 ? "0.9, -0.5, 0.31" : "0.9, -0.5"));
  const auto simulation = make_simulation(config, available_processors());
  auto leaves = simulation->leaves().total;
  int changes = 0;
  while (simulation->step() < 60) {
    simulation->advance(config.time.end);
    changes += simulation->leaves().total != leaves;
    leaves = simulation->leaves().total;
  }
  EXPECT_GE(changes, 3);
  const double x[3] = {0.5, 0.5, 0.5};
  double expected[5];
  config.scenario->initial(x, 0.1, expected);
  double worst = 0;
  for_volumes(*simulation, [&](const Volume& volume) {
    for (int u = 0; u < dim + 2; ++u)
      worst = std::max(worst, std::abs(volume.q[u] - expected[u]) / std::abs(expected[u]));
  });
  std::printf("largest relative change %.2e, %d meshes, %zu leaves\n", worst, changes, leaves);
  EXPECT_LE(worst, 1e-14);
}

// Noise of every wavelength on three nested levels: conservative schemes damp it, also at jumps.
TEST_P(UniformRun, NoiseDecaysOnNestedLevels) {
  const int dim = std::get<0>(GetParam());
  const std::string low = dim == 3 ? "0.4, 0.4, 0.4" : "0.4, 0.4",
                    high = dim == 3 ? "0.6, 0.6, 0.6" : "0.6, 0.6";
  const auto simulation = make_simulation(
      physics_input(fmt::format("[domain]\ndimensions = {}\n"
                                "[mesh]\npatch-size = 6\nmin-level = {}\nmax-level = {}\nbuffer = 0\n"
                                "[[refinement]]\nkind = \"box\"\nlower = [{}]\nupper = [{}]\nlevel = {}\n"
                                "[[refinement]]\nkind = \"ball\"\nradius = 0.02\n"
                                "[solver]\nscheme = \"{}\"\n[scenario]\nname = \"uniform\"\nnoise = 1e-6\n"
                                "velocity = [{}]\n[time]\nend = 10\n",
                                dim, 1, dim == 3 ? 2 : 3, low, high, 2, std::get<1>(GetParam()),
                                dim == 3 ? "0.5, 0.3, 0.1" : "0.5, 0.3")),
      available_processors());
  const double end = dim == 3 ? 2 : 10;
  double largest = measured(*simulation, "error_linf");
  EXPECT_GT(largest, 1e-6);
  for (const double t : {0.2 * end, 0.6 * end, end}) {
    while (simulation->time() < t) simulation->advance(t);
    const double deviation = measured(*simulation, "error_linf");
    std::printf("%dD %s: largest deviation %.2e at t = %g\n", dim, std::get<1>(GetParam()).c_str(), deviation,
                t);
    EXPECT_LE(deviation, largest);
    if (t < 0.5 * end) largest = deviation;
  }
}

}  // namespace
}  // namespace meander::simulation
