// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The warning that criteria refine nothing of initial data that jump.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tests/simulation/physics_run.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {
namespace {

// What the set-up of a run says on stderr.
std::string said_of(const std::string& text) {
  const Config config = physics_input(text);
  testing::internal::CaptureStderr();
  make_simulation(config, 2);
  return testing::internal::GetCapturedStderr();
}

// Two gases that recede, of equal density and pressure: problem "123" of Toro 2009, section 4.3.3.
std::string receding(const std::string& criteria) {
  return fmt::format(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"outflow\"\n[mesh]\npatch-size = 6\nmin-level = "
      "1\nmax-level = 2\n{}"
      "[scenario]\nname = \"sod\"\nleft-density = 1.0\nright-density = 1.0\nleft-velocity = -2.0\n"
      "right-velocity = 2.0\nleft-pressure = 0.4\nright-pressure = 0.4\n",
      criteria);
}

std::string jump_of(const char* variable) {
  return fmt::format("[[refinement]]\nkind = \"jump\"\nvariable = \"{}\"\nrefine = 0.05\n", variable);
}

TEST(InitialJumps, ThatNoCriterionSeesAreNamed) {
  const std::string said = said_of(receding(jump_of("density")));
  for (const char* part : {" W ", "initial data jump (momentum_x)", "[[refinement]]", "level 1 only"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " is missing in: " << said;
}

TEST(InitialJumps, ThatACriterionSeesAreNot) {
  EXPECT_EQ(said_of(receding(jump_of("momentum_x"))), "");
  EXPECT_EQ(said_of(receding("[[refinement]]\nkind = \"box\"\nlower = [0.4, 0.0]\nupper = [0.6, 1.0]\n")),
            "");
}

TEST(InitialJumps, OfAUniformMeshAreNot) {
  EXPECT_EQ(said_of(receding("")), "");
}

// The density is 1 in the domain but for a fiftieth of its first volumes, and 2 in the halos at its lower face.
TEST(InitialJumps, BeyondTheDomainAreNotThoseOfTheData) {
  EXPECT_EQ(
      said_of(
          "[domain]\ndimensions = 2\n[boundary]\nall = \"scenario\"\n[mesh]\npatch-size = 6\nmin-level = 1\n"
          "max-level = 2\n" +
          jump_of("energy") +
          "[scenario]\nname = \"sod\"\nposition = 0.001\nleft-density = 2.0\nright-density = 1.0\n"
          "left-pressure = 1.0\nright-pressure = 1.0\n"),
      "");
}

// A vortex that no criterion refines.
TEST(InitialJumps, AreNoneInSmoothData) {
  EXPECT_EQ(
      said_of(
          "[domain]\ndimensions = 2\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\nmin-level = 2\n"
          "max-level = 3\n[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.9\n" +
          vortex_scenario({.centre = {0.5, 0.5}})),
      "");
}

}  // namespace
}  // namespace meander::simulation
