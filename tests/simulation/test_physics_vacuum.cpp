// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Gases that recede from each other much faster than sound leave a near-vacuum, also across resolution jumps.

#include <fmt/format.h>

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Dimension, limiter, Riemann solver.
class RecedingGases : public testing::TestWithParam<std::tuple<int, const char*, const char*>> {
 protected:
  // A ring along x with a refined box, which is narrower than the ring.
  static std::string input(double speed, const char* stepping) {
    const auto [dim, limiter, riemann] = GetParam();
    const bool flat = dim == 2;
    return fmt::format(
        "[domain]\ndimensions = {}\nlower = [{}]\nupper = [{}]\ncells = [{}]\n[boundary]\nall = "
        "\"periodic\"\n"
        "[mesh]\npatch-size = 8\nmin-level = {}\nmax-level = {}\nbuffer = 0\nregrid-every = 1\n"
        "[[refinement]]\nkind = \"box\"\nlower = [{}]\nupper = [{}]\n"
        "[solver]\nscheme = \"muscl\"\ncfl = 0.4\nlimiter = \"{}\"\nriemann = \"{}\"\n"
        "[scenario]\nname = \"sod\"\nposition = 1.4875337596614628\nleft-density = 1.0\nright-density = 1.0\n"
        "left-pressure = 0.4\nright-pressure = 0.4\nleft-velocity = {}\nright-velocity = {}\n"
        "[time]\nend = {}\nstepping = \"{}\"\n",
        dim, flat ? "0.0, 0.0" : "0.0, 0.0, 0.0", flat ? "3.0, 1.0" : "3.0, 1.0, 1.0",
        flat ? "3, 1" : "3, 1, 1", flat ? 3 : 2, flat ? 4 : 3, flat ? "1.2, 0.35" : "1.2, 0.35, 0.35",
        flat ? "1.8, 0.65" : "1.8, 0.65, 0.65", limiter, riemann, -speed, speed, 0.4 / speed, stepping);
  }
};
INSTANTIATE_TEST_SUITE_P(Long, RecedingGases,
                         testing::Combine(testing::Values(2, 3), testing::Values("minmod", "mc", "van-leer"),
                                          testing::Values("rusanov", "hllc")));

// Mach 16 and 134. The diaphragm lies within a volume of the box; at the other side of the ring the gases collide.
TEST_P(RecedingGases, LeaveANearVacuum) {
  for (const double speed : {12.0, 100.0}) {
    for (const char* stepping : {"global", "local"}) {
      SCOPED_TRACE(testing::Message() << "velocity " << speed << ", " << stepping << " steps");
      const Config config = physics_input(input(speed, stepping));
      const auto simulation = make_simulation(config, available_processors());
      const auto before = simulation->totals();
      ASSERT_NO_THROW({
        while (simulation->time() < config.time.end) simulation->advance(config.time.end);
      });
      const auto after = simulation->totals();
      EXPECT_NEAR(after[0], before[0], 1e-13 * before[0]);
      EXPECT_NEAR(after[1], before[1], 1e-13 * speed * before[0]);
      EXPECT_NEAR(after.back(), before.back(), 1e-13 * before.back());
    }
  }
}

}  // namespace
}  // namespace meander::simulation
