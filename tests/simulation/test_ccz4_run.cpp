// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// CCZ4: checks of the input, and bitwise constant flat space.

#include <fmt/format.h>

#include <cmath>

#include "physics/ccz4/module.hpp"
#include "simulation/config/check_restart.hpp"
#include "simulation/module.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

const std::string flat = R"([domain]
cells = [2, 2, 2]
[boundary]
x = "scenario"
y = "reflecting"
z = "outflow"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
regrid-every = 2
[[refinement]]
kind = "ball"
centre = [0.1, 0.1, 0.1]
radius = 0.01
speed = 60.0
[solver]
equation = "ccz4"
[scenario]
name = "minkowski"
)";

class FlatSpaceLong : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Schemes, FlatSpaceLong, testing::Values("rusanov", "fourth-order"),
                         [](const auto& tested) {
                           return std::string(tested.param == "rusanov" ? "rusanov" : "fourth_order");
                         });

TEST_P(FlatSpaceLong, StaysFlatToTheBitOnAMeshThatChanges) {
  std::vector<std::string> settings = {"solver.scheme=" + GetParam()};
  if (GetParam() == "rusanov") settings.push_back("mesh.patch-size=4");
  const Config config = physics_input(flat, settings);
  const auto simulation = make_simulation(config, 2);
  int meshes = 0;
  for (auto leaves = simulation->leaves().total; simulation->step() < 8;
       leaves = simulation->leaves().total) {
    simulation->advance(1.0);
    meshes += simulation->leaves().total != leaves;
  }
  EXPECT_GE(meshes, 1);
  EXPECT_GT(simulation->leaves().per_level[2], 0);
  double state[solvers::most_unknowns];
  const double x[3] = {0, 0, 0};
  config.scenario->initial(x, 0.1, state);
  std::int64_t different = 0;
  for_volumes(*simulation, [&](const Volume& volume) {
    for (int n = 0; n < 59; ++n) different += volume.q[n] != state[n];
  });
  EXPECT_EQ(different, 0);
  // Level 1 has no leaf left: constraints that hold there would be an invention.
  EXPECT_EQ(simulation->leaves().per_level[1], 0);
  for (const Measure& measure : simulation->measures()) {
    if (measure.name.ends_with("_level_1"))
      EXPECT_TRUE(std::isnan(measure.value)) << measure.name;
    else
      EXPECT_EQ(measure.value, measure.name == "lapse_min" ? 1.0 : 0.0) << measure.name;
  }
}

TEST(Ccz4Input, IsChecked) {
  const auto expect = [](const std::vector<std::string>& settings, const std::string& why) {
    EXPECT_NE(refusal(flat, settings).find(why), std::string::npos) << refusal(flat, settings);
  };
  EXPECT_EQ(refusal(flat, {}), "accepted");
  expect({"solver.equation=czc4"}, "did you mean 'ccz4'?");
  expect({"solver.slicng=harmonic"}, "unknown key; did you mean 'slicing'?");
  expect({"solver.gamma=1.4"}, "solver.gamma: has no meaning for equation = 'ccz4'");
  expect({"solver.cfl=1.81"},
         "solver.cfl: must be at most 1.8, the stability limit of the scheme (ccz4 fourth order)");
  expect({"solver.scheme=rusanov", "solver.cfl=1.1"}, "must be at most 1,");
  EXPECT_EQ(refusal(flat, {"solver.plain-until=3"}), "accepted");
  expect({"solver.plain-until=-1"}, "solver.plain-until: must be at least 0 [time], but is -1");
  expect({"solver.plain-until=3", "solver.damping=plain"},
         "solver.plain-until=3: solver.plain-until: exists for damping = \"lapse\" only");
  expect({"mesh.patch-size=8"},
         "must be at least 9 on an adaptive mesh with this scheme (halo width 3), but is 8");
  for (const char* floor : {"solver.lapse-floor", "solver.phi-floor"}) {
    for (const char* value : {"0", "1", "2"}) {
      const std::string setting = fmt::format("{}={}", floor, value);
      expect({setting}, fmt::format("--set {}: {}: must be greater than 0 and less than 1, but is {}",
                                    setting, floor, value));
    }
  }
  expect({"scenario.name=sedov"},
         "'sedov' is a scenario of equation 'euler', but solver.equation is 'ccz4'; "
         "allowed: formulas, from-file, gauge-wave, linear-wave, minkowski");
  expect({"solver.equation=euler"},
         "'minkowski' is a scenario of equation 'ccz4', but solver.equation is 'euler'");
  expect({"scenario.name=gauge-wave"}, "it needs solver.slicing = \"harmonic\" and solver.s = 0");
  expect({"scenario.name=gauge-wave", "solver.slicing=harmonic", "solver.s=0", "scenario.width=0.3"},
         "scenario.width: the domain must hold a whole number of waves along x");
  const std::vector<std::string> pulse = {"scenario.name=linear-wave", "scenario.profile=pulse",
                                          "solver.slicing=harmonic", "solver.s=0"};
  EXPECT_EQ(refusal(flat, pulse), "accepted");
  std::vector<std::string> wide = pulse;
  wide.emplace_back("scenario.sigma=0.07");
  expect(wide, "scenario.sigma: must be at most 0.0625 (width / 16), or pulses overlap, but is 0.07");
  expect(
      {"scenario.name=kerr-schild", "solver.s=0", "scenario.spin=0.9", "scenario.centre=[-0.3, -0.3, -0.3]"},
      "a ring of radius 0.9");
  expect({"scenario.name=kerr-schild", "solver.s=0", "scenario.spin=1"}, "scenario.spin: must be");
  expect({"scenario.name=puncture", "scenario.centre=[0.0277777777777777778, 0.25, 0.0277777777777777778]"},
         "is the centre of a volume of width");
  EXPECT_EQ(refusal(flat, {"scenario.name=puncture"}), "accepted");
  EXPECT_EQ(refusal(flat, {"scenario.name=puncture", "diagnostics.exclude-radius=0.1"}), "accepted");
  expect(
      {"diagnostics.exclude-radius=0.1"},
      "diagnostics.exclude-radius: has no meaning for scenario.name = \"minkowski\", which has no puncture");
  expect({"boundary.all=diode"}, "'diode' exists for conservation laws only, but the scheme is ccz4");
  expect({"scenario.name=puncture", "diagnostics.exclude-radius=100"},
         "diagnostics.exclude-radius: a ball of radius 100 does not fit into the domain");
  try {
    physics_input(
        "[domain]\ndimensions = 2\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\n");
    ADD_FAILURE() << "accepted in 2D";
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what()).find("test.toml:4:12: solver.equation: 'ccz4' exists in 3 dimensions only"),
        std::string::npos)
        << error.what();
  }
}

// A valid but unstable value gives a warning with the value and its position.
TEST(Ccz4Input, WarnsOfDissipationTooSmallForResolutionJumps) {
  const auto warnings = [](std::vector<std::string> settings) {
    settings.emplace_back("solver.dissipation=0.1");
    return physics_input(flat, settings).warnings;
  };
  const std::vector<std::string> seen = warnings({});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0],
            "--set solver.dissipation=0.1: solver.dissipation: is 0.1: below 0.2 the fourth-order scheme is "
            "unstable at resolution jumps, which mesh.max-level > mesh.min-level allows");
  EXPECT_EQ(warnings({"solver.scheme=rusanov"}).size(), 0u);
  EXPECT_EQ(warnings({"mesh.max-level=1"}).size(), 0u);
  EXPECT_EQ(physics_input(flat, {"solver.dissipation=0.2"}).warnings.size(), 0u);
  EXPECT_EQ(physics_input(flat).warnings.size(), 0u);
}

TEST(Ccz4Input, WarnsOfAShiftWithoutOrderingAtResolutionJumps) {
  const auto warnings = [](std::vector<std::string> settings) {
    settings.emplace_back("solver.ordering=0");
    return physics_input(flat, settings).warnings;
  };
  ASSERT_EQ(warnings({"solver.s=1"}).size(), 1u);
  EXPECT_EQ(warnings({"solver.s=1"})[0].substr(0, 47), "--set solver.ordering=0: solver.ordering: is 0:");
  EXPECT_EQ(warnings({"solver.s=0"}).size(), 0u);
  EXPECT_EQ(warnings({"solver.s=1", "mesh.max-level=1"}).size(), 0u);
  EXPECT_EQ(physics_input(flat, {"solver.s=1"}).warnings.size(), 0u);
}

// Messages begin with line and column.
TEST(Ccz4Input, IsRefusedWhereItStands) {
  const std::string puncture = "name = \"puncture\"\ncentre = [0.25, 0.25, 0.25]";
  const std::string kerr = "name = \"kerr-schild\"\ncentre = [-1.5, -1.5, -1.5]\nspin = 0.9";
  const auto expect = [](const std::string& scenario, const std::string& line, const std::string& by,
                         const std::string& start) {
    std::string text = flat;
    text.replace(text.find("name = \"minkowski\""), 18, scenario);
    text.replace(text.find(line), line.size(), by);
    std::string said = "accepted";
    try {
      physics_input(text);
    } catch (const InputError& error) {
      said = error.what();
    }
    EXPECT_EQ(said.substr(0, start.size()), start);
  };
  expect(
      puncture, "patch-size = 9", "patch-size = 8",
      "test.toml:8:14: mesh.patch-size: must be at least 9 on an adaptive mesh with this scheme (halo width "
      "3), but is 8");
  // 2 x 9 volumes of 1 / 18, and of a third of that.
  expect(
      puncture, "patch-size = 9", "patch-size = 9",
      "test.toml:21:10: scenario.centre: (0.25, 0.25, 0.25) is the centre of a volume of width 0.0555555556, "
      "where the data are not finite; (0.240740741, 0.25, 0.25) and (0.259259259, 0.25, 0.25) are not, nor "
      "is "
      "the middle of a domain with an even number of volumes");
  expect(puncture, "patch-size = 9", "patch-size = 10", "accepted");
  expect(kerr, "[solver]", "[solver]\ns = 0", "accepted");
  expect(kerr, "spin = 0.9", "spin = 1.1",
         "test.toml:22:8: scenario.spin: must be greater than -1 and less than 1, but is 1.1");
  expect(puncture, "[solver]", "[solver]\ncfl = 1.9",
         "test.toml:18:7: solver.cfl: must be at most 1.8, the stability limit of the scheme (ccz4 fourth "
         "order), but "
         "is 1.9");
}

TEST(Ccz4Input, ItsResolvedFormReadsBackTheSame) {
  const Config config = physics_input(flat, {"solver.k1=0.3", "solver.s=0", "solver.scheme=rusanov"});
  const Config again = load_config_text(config.resolved, "test.toml", {}, scenarios(), 1e10);
  EXPECT_EQ(again.resolved, config.resolved);
  EXPECT_EQ(again.equation_name, "ccz4");
  const auto& parameters = dynamic_cast<const ccz4::Ccz4Equation&>(*again.equation).parameters;
  EXPECT_EQ(parameters.k1, 0.3);
  EXPECT_FALSE(parameters.evolves_shift);
  EXPECT_EQ(parameters.scheme, ccz4::Scheme::rusanov);
  EXPECT_EQ(again.output.fields.front(), "lapse");
}

TEST(Ccz4Restart, CannotChangeTheEquations) {
  const CheckpointFacts facts{
      .path = "chk.hdf5", .config = physics_input(flat), .time = 0, .finest_level = 1};
  EXPECT_NO_THROW(check_restart(physics_input(flat, {"solver.k1=0.3"}), facts));
  const auto refused = [&](const Config& config) -> std::string {
    try {
      check_restart(config, facts);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(
      refused(physics_input(flat, {"solver.slicing=harmonic"})).find("solver.slicing: a restart cannot"),
      std::string::npos);
  EXPECT_NE(refused(physics_input(flat, {"solver.equation=euler", "scenario.name=uniform"}))
                .find("solver.equation"),
            std::string::npos);
}

}  // namespace
}  // namespace meander::simulation
