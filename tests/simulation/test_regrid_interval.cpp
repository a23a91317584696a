// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// mesh.regrid-every: the interval that "auto" chooses, where it is found again, and which numbers are refused.
#include "simulation/config/regrid_interval.hpp"

#include <fmt/format.h>

#include "simulation/simulation.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Five levels in 2D, with criteria.
std::string two_dimensions(const std::string& criteria) {
  return "[domain]\ndimensions = 2\n[mesh]\npatch-size = 9\nmin-level = 1\nmax-level = 5\n" + criteria +
         "[scenario]\nname = \"uniform\"\n";
}
const std::string front = "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.1\n",
                  small_ball = "[[refinement]]\nkind = \"ball\"\nradius = 0.1\n";

struct Chosen {
  std::string criteria;
  std::vector<std::string> settings;
  int steps;
};

// A step of the finest volumes crosses cfl of them, 0.4 by default; the buffer has p = 9 for each layer. Local: 3 steps
// of the finest volumes for each of 2 subcycled levels.
TEST(RegridInterval, IsTheLongestInWhichSignalsStayWithinTheBuffer) {
  const Chosen table[] = {
      {front, {}, 16},  // 22, but at most 16
      {front, {"solver.cfl=0.8"}, 11},
      {front, {"solver.cfl=0.9"}, 10},  // 9 volumes exactly
      {front, {"solver.cfl=0.91"}, 9},
      {front, {"mesh.patch-size=6"}, 15},  // 6 volumes exactly
      {front, {"mesh.patch-size=6", "mesh.buffer=2"}, 16},
      {front, {"mesh.buffer=0"}, 1},  // none is safe: the shortest
      {front, {"mesh.max-level=1"}, 16},
      {front, {"time.stepping=local"}, 2},  // 3.6 volumes in a step
      {front, {"time.stepping=local", "mesh.patch-size=6"}, 1},
      {front, {"time.stepping=local", "mesh.patch-size=12", "mesh.buffer=3"}, 10},  // 36 volumes exactly
      {front, {"time.stepping=local", "mesh.subcycled-levels=1"}, 7},
      {front, {"time.stepping=local", "mesh.subcycled-levels=0"}, 16},
      {front, {"time.stepping=local", "mesh.subcycled-levels=0", "mesh.buffer=0"}, 1},
      {front, {"time.stepping=local", "mesh.max-level=2"}, 7},  // one level to subcycle
      {front, {"time.stepping=local", "mesh.max-level=1", "mesh.buffer=0"}, 1},
      {front + small_ball, {"time.stepping=local"}, 2},
      {small_ball, {}, 8},
      {small_ball, {"time.stepping=local", "mesh.buffer=0"}, 8},
      {"", {}, 8},
  };
  for (const auto& [criteria, settings, steps] : table) {
    EXPECT_EQ(physics_input(two_dimensions(criteria), settings).mesh.regrid_every, steps)
        << criteria << fmt::format("{}", fmt::join(settings, ", "));
  }
}

// A step has four stages and crosses 1.1 volumes of 9; with a subcycled level it crosses 3.3.
TEST(RegridInterval, OfFourthOrderCountsStepsNotStages) {
  const std::string text =
      "[mesh]\npatch-size = 9\nmax-level = 1\n[[refinement]]\nkind = \"jump\"\nvariable = \"phi\"\nrefine = "
      "0.1\n"
      "[solver]\nequation = \"ccz4\"\ncfl = 1.1\n[scenario]\nname = \"minkowski\"\n";
  EXPECT_EQ(physics_input(text).mesh.regrid_every, 8);
  EXPECT_EQ(physics_input(text, {"time.stepping=local"}).mesh.regrid_every, 2);
}

// With local steps a buffer too narrow for one step is refused as it is with regrid-every = 1.
TEST(RegridInterval, IsRefusedWhereNoneIsSafeForLocalSteps) {
  const std::vector<std::string> narrow = {"time.stepping=local", "mesh.buffer=0"};
  const std::string chosen = refusal(two_dimensions(front), narrow);
  EXPECT_NE(
      chosen.find(
          "mesh.subcycled-levels: a signal crosses up to 3.6 of the finest volumes between regrids (9 of "
          "their steps in a step, solver.cfl = 0.4), but the buffer has 0; set fewer subcycled levels, "
          "or a larger buffer"),
      std::string::npos)
      << chosen;
  std::vector<std::string> number = narrow;
  number.emplace_back("mesh.regrid-every=1");
  EXPECT_EQ(refusal(two_dimensions(front), number), chosen);
}

TEST(RegridInterval, IsTheNumberThatIsGiven) {
  for (const int steps : {1, 4, 1000000}) {
    const Config config = physics_input(two_dimensions(front), {fmt::format("mesh.regrid-every={}", steps)});
    EXPECT_EQ(config.mesh.regrid_every, steps);
    EXPECT_NE(config.resolved.find(fmt::format("\nregrid-every = {}\n", steps)), std::string::npos);
  }
  EXPECT_NE(
      refusal(two_dimensions(front), {"mesh.regrid-every=3", "time.stepping=local"}).find("set at most 2"),
      std::string::npos);
  EXPECT_EQ(refusal(two_dimensions(front), {"mesh.regrid-every=2", "time.stepping=local"}), "accepted");
}

// The resolved input, which is that of checkpoints, leaves the choice open: a restart with other steps chooses again.
TEST(RegridInterval, IsChosenAgainByTheResolvedInput) {
  const Config config = physics_input(two_dimensions(front));
  EXPECT_NE(config.resolved.find("\nregrid-every = \"auto\"  # 16 steps\n"), std::string::npos)
      << config.resolved;
  const Config again = physics_input(config.resolved);
  EXPECT_EQ(again.resolved, config.resolved);
  EXPECT_EQ(again.mesh.regrid_every, 16);
  const Config local = physics_input(config.resolved, {"time.stepping=local", "mesh.patch-size=6"});
  EXPECT_EQ(local.mesh.regrid_every, 1);
  EXPECT_NE(local.resolved.find("\nregrid-every = \"auto\"  # 1 step\n"), std::string::npos);
}

TEST(RegridInterval, IsToldInWords) {
  EXPECT_EQ(regrid_text(physics_input(two_dimensions(front), {"mesh.patch-size=6"})),
            "regrids: every 15 steps; a signal crosses up to 6 of the finest volumes until the next one, and "
            "the buffer "
            "has 6");
  EXPECT_EQ(regrid_text(physics_input(two_dimensions(front), {"mesh.patch-size=6", "time.stepping=local"})),
            "regrids: after every step; a signal crosses up to 3.6 of the finest volumes until the next one, "
            "and the "
            "buffer has 6");
  EXPECT_EQ(regrid_text(physics_input(two_dimensions(small_ball))), "regrids: every 8 steps");
}

class GasInput : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shipped, GasInput,
                         testing::Values("accretion-2d", "accretion-3d", "accretion-3d-fine", "bondi",
                                         "double-blast", "double-mach", "gresho", "hydrostatic",
                                         "kelvin-helmholtz", "noh-2d", "rayleigh-taylor", "riemann-2d",
                                         "sedov-2d", "sedov-3d", "shock-bubble", "sod", "uniform", "vortex"));

TEST_P(GasInput, TakesLocalSteps) {
  EXPECT_NO_THROW(shipped_input(GetParam(), {"time.stepping=local"}));
}

}  // namespace
}  // namespace meander::simulation
