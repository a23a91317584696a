// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Input of local time steps, and runs for which they make no difference.

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

const std::string two_levels =
    "[domain]\ndimensions = 2\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\nregrid-every = 1\n"
    "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.1\n"
    "[scenario]\nname = \"riemann-2d\"\n[time]\nstepping = \"local\"\nend = 0.1\n";

std::string refusal(const std::string& text, const std::vector<std::string>& settings) {
  try {
    physics_input(text, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LocalStepsInput, IsRefusedWhereTheyDoNotExist) {
  EXPECT_EQ(refusal(two_levels, {}), "accepted");
  const auto says = [](const std::string& text, const std::vector<std::string>& settings,
                       const std::string& expected) {
    const std::string found = refusal(text, settings);
    EXPECT_NE(found.find(expected), std::string::npos) << found;
  };
  says(two_levels, {"offload.device=host"},
       "test.toml:15:12: time.stepping: \"local\" does not exist with offload.device");
  says("[time]\nstepping = \"local\"\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\n", {},
       "does not exist for the scheme ccz4");
  says(
      "[time]\nstepping = \"local\"\n[solver]\ngamma = 1.6666666666666667\n[scenario]\nname = "
      "\"accretion\"\n",
      {}, "does not exist for the scenario accretion");
  EXPECT_EQ(refusal("[time]\nstepping = \"local\"\n[solver]\ngamma = 1.6666666666666667\n[scenario]\nname = "
                    "\"accretion\"\ngravity = false\n",
                    {}),
            "accepted");
  says(two_levels, {"time.stepping=lokal"}, "did you mean");
}

// 9 steps of the finest level a step, 0.4 volumes each; the buffer has 6.
TEST(LocalStepsInput, DemandsABufferAsWideAsSignalsTravel) {
  EXPECT_NE(refusal(two_levels, {"mesh.regrid-every=2"}).find("set at most 1"), std::string::npos);
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=3", "mesh.buffer=2"}), "accepted");
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=5", "mesh.subcycled-levels=1"}), "accepted");
  EXPECT_NE(refusal(two_levels, {"mesh.regrid-every=6", "mesh.subcycled-levels=1"}).find("set at most 5"),
            std::string::npos);
  EXPECT_NE(refusal(two_levels, {"solver.cfl=0.9"}).find("fewer subcycled levels"), std::string::npos);
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=9", "time.stepping=global"}), "accepted");
}

std::vector<double> state_of(Simulation& simulation) {
  std::vector<double> state;
  for_volumes(simulation, [&](const Volume& volume) { state.insert(state.end(), volume.q, volume.q + 4); });
  return state;
}

// One level, or levels that share their steps.
TEST(LocalStepsWithoutRatios, ChangeNoBit) {
  for (const char* levels : {"mesh.max-level=1", "mesh.subcycled-levels=0"}) {
    const auto local = run(physics_input(two_levels, {levels, "mesh.regrid-every=4"}), 12),
               global = run(
                   physics_input(two_levels, {levels, "mesh.regrid-every=4", "time.stepping=global"}), 12);
    EXPECT_EQ(local->time(), global->time());
    EXPECT_EQ(local->last_dt(), global->last_dt());
    EXPECT_EQ(local->volume_updates(), global->volume_updates());
    EXPECT_EQ(local->local_steps()->gain(), 1);
    EXPECT_FALSE(global->local_steps());
    EXPECT_EQ(state_of(*local), state_of(*global));
  }
}

// A run with plot times reaches them exactly.
TEST(LocalStepsToATime, EndThereExactly) {
  const auto simulation = make_simulation(physics_input(two_levels), 2);
  for (const double t : {0.003, 0.0031, 0.011}) {
    while (simulation->time() < t) simulation->advance(t);
    EXPECT_EQ(simulation->time(), t);
  }
}

}  // namespace
}  // namespace meander::simulation
