// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of fourth-order CCZ4 on three levels. test_physics_jumps.cpp has waves that cross levels,
// scripts/verify noise in flat space for long.

#include <fmt/format.h>

#include "physics/ccz4/unknowns.hpp"
#include "simulation/module.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Three levels, nested off the symmetries of the mesh.
std::string nest(const std::string& scenario, const std::string& boundary) {
  return fmt::format(
      "[domain]\nlower = [-4.5, -1.5, -1.5]\nupper = [4.5, 1.5, 1.5]\ncells = [3, 1, 1]\n"
      "[boundary]\nall = \"{}\"\n"
      "[mesh]\npatch-size = 9\nmax-level = 3\nbuffer = 0\nregrid-every = 1000000\n"
      "[[refinement]]\nkind = \"ball\"\ncentre = [0.2, 0.1, -0.1]\nradius = 0.1\n"
      "[solver]\nequation = \"ccz4\"\nf = 0.7\ncfl = 1.5\n[scenario]\n{}\n[time]\nend = 1e6\n",
      boundary, scenario);
}

TEST(LocalStepsOfFlatSpace, ChangeNothing) {
  for (const char* boundary : {"periodic", "sommerfeld"}) {
    const Config config = physics_input(nest("name = \"minkowski\"", boundary), {"time.stepping=local"});
    const auto simulation = run(config, 2);
    EXPECT_EQ(simulation->local_steps()->ratios, (std::vector{3, 3})) << boundary;
    EXPECT_EQ(simulation->local_steps()->steps, (std::vector<std::int64_t>{0, 2, 6, 18}));
    const double x[3] = {0.5, 0.5, 0.5};
    double expected[solvers::most_unknowns], worst = 0;
    config.scenario->initial(x, 0.1, expected);
    simulation->solver().complete(expected);
    for_volumes(*simulation, [&](const Volume& volume) {
      for (int u = 0; u < ccz4::unknowns; ++u) worst = std::max(worst, std::abs(volume.q[u] - expected[u]));
    });
    EXPECT_EQ(worst, 0) << boundary;
  }
}

}  // namespace
}  // namespace meander::simulation
