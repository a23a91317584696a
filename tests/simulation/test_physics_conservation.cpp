// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Mass, momentum and energy are conserved over hundreds of steps on a mesh that changes continually.

#include <fmt/format.h>

#include "base/exact_sum.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

class Conservation : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, Conservation,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values("scheme = \"rusanov\"", "scheme = \"muscl\"",
                                                          "scheme = \"muscl\"\nriemann = \"hllc\"")));
// Nowhere in this gas is the total energy set from the entropy.
INSTANTIATE_TEST_SUITE_P(DualEnergy, Conservation,
                         testing::Values(std::tuple(2,
                                                    std::string("scheme = \"muscl\"\ndual-energy = true"))));

TEST_P(Conservation, HoldsOverManyStepsOnAChangingMesh) {
  const int dim = std::get<0>(GetParam());
  const std::string scheme = std::get<1>(GetParam());
  const std::string scenario =
      dim == 2 ? "name = \"riemann-2d\"\ncentre = [0.4, 0.55]"
               : "name = \"sedov\"\npressure = 0.01\nradius = 0.1\ncentre = [0.4, 0.55, 0.45]";
  // Patches of 7 and 8: no multiples of 3, so that coarse volumes straddle fine patches.
  const Config config = physics_input(
      fmt::format("[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
                  "[mesh]\npatch-size = {}\nmin-level = {}\nmax-level = {}\nregrid-every = 4\nbuffer = {}\n"
                  "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = {}\n"
                  "[solver]\n{}\n[scenario]\n{}\n[time]\nend = 100\n",
                  dim, dim == 2 ? 7 : 8, dim == 2 ? 1 : 0, dim == 2 ? 4 : 2, dim == 2 ? 1 : 0,
                  dim == 2 ? 0.08 : 0.3, scheme, scenario));
  const auto simulation = make_simulation(config, available_processors());
  const auto before = simulation->totals();
  auto leaves = simulation->leaves().per_level;
  int changes = 0;
  while (simulation->step() < 500) {
    simulation->advance(config.time.end);
    auto now = simulation->leaves().per_level;
    changes += now != leaves;
    leaves = std::move(now);
  }
  const auto after = simulation->totals();
  std::vector<ExactSum> magnitudes(before.size());
  for_volumes(*simulation, [&](const Volume& volume) {
    for (std::size_t u = 0; u < before.size(); ++u)
      magnitudes[u].add(std::abs(volume.q[u]) * std::pow(volume.dx, dim));
  });
  double worst = 0;
  const auto conserved = static_cast<std::size_t>(dim) + 2;  // the entropy density grows in shocks
  for (std::size_t u = 0; u < conserved; ++u)
    worst = std::max(worst, std::abs(after[u] - before[u]) / magnitudes[u].value());
  std::printf("largest relative change %.2e over 500 steps and %d meshes, %zu volumes\n", worst, changes,
              simulation->leaves().volumes);
  EXPECT_LE(worst, 1e-13);
  EXPECT_GE(changes, 10);
  EXPECT_EQ(simulation->treated_volumes().floored, 0);
}

}  // namespace
}  // namespace meander::simulation
