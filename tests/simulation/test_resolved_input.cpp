// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What an input becomes: defaults, settings, and the resolved input, which reads back to the same configuration.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/simulation/probe_scenario.hpp"

namespace meander::simulation {
namespace {

// The value of a key in the resolved input, in the table number `index` of that header.
std::string value_of(const Config& config, const std::string& header, const std::string& key, int index = 0) {
  std::istringstream lines(config.resolved);
  int table = -1;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) inside = line == header && ++table == index;
    if (inside && line.starts_with(key + " = ")) return line.substr(key.size() + 3);
  }
  return "";
}

TEST(Config, DefaultsComeFromScenarioAndDomain) {
  const Config config = load(probe);
  EXPECT_EQ(config.domain.dimensions, 3);
  EXPECT_EQ(config.domain.lower, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(config.domain.upper, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(config.domain.cells, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(config.time.start, -2);
  EXPECT_EQ(config.time.end, -1);
  EXPECT_EQ(config.output.directory, "output/in");
  EXPECT_EQ(config.scenario_name, "probe");
  for (const auto* side : config.domain.boundary) EXPECT_EQ(side, &mesh::boundary::periodic);
}

TEST(Config, LevelsStartAtTheBaseLevel) {
  for (const auto& [cells, level] :
       {std::pair{1, 0}, {2, 1}, {3, 1}, {4, 2}, {9, 2}, {10, 3}, {27, 3}, {28, 4}}) {
    const std::string n = std::to_string(cells);
    const Config config = load(probe, {"domain.cells=[" + n + ", " + n + ", " + n + "]"});
    EXPECT_EQ(config.base_level(), level) << cells;
    EXPECT_EQ(config.mesh.min_level, level) << cells;
    EXPECT_EQ(config.mesh.max_level, level) << cells;
  }
}

TEST(Config, MoreSpecialBoundaryWins) {
  const Config config = load(probe +
                             "[boundary]\nall = \"outflow\"\ny = \"periodic\"\nz-upper = \"reflecting\"\n"
                             "x = \"reflecting\"\nx-lower = \"scenario\"\n");
  using namespace mesh::boundary;
  const mesh::BoundaryCondition* expected[] = {&given,    &reflecting, &periodic,
                                               &periodic, &outflow,    &reflecting};
  for (int face = 0; face < 6; ++face) EXPECT_EQ(config.domain.boundary[face], expected[face]) << face;
}

TEST(Config, SettingsOverrideTheFile) {
  const Config config =
      load(probe + "density = 2\n[[refinement]]\nkind = \"ball\"\nradius = 1\n",
           {"scenario.density=3", "solver.scheme=muscl", "refinement[0].radius=2.5",
            "output.directory=2026-11-20", "output.fields=[\"pressure\"]", "scenario.noise=true"});
  const auto& scenario = dynamic_cast<const Probe&>(*config.scenario);
  EXPECT_EQ(scenario.density_, 3);
  EXPECT_TRUE(scenario.noise_);
  EXPECT_EQ(config.solver->traits().name, "euler muscl mc");
  EXPECT_EQ(value_of(config, "[[refinement]]", "radius"), "2.5");
  EXPECT_EQ(config.output.directory, "2026-11-20");
  EXPECT_EQ(config.output.fields, std::vector<std::string>{"pressure"});
}

TEST(Config, DefaultsOfACriterion) {
  const Config config = load(probe +
                             "[domain]\nlower = [-1, -1, 1]\nupper = [1, 1, 3]\n"
                             "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.2\n"
                             "[[refinement]]\nkind = \"threshold\"\nvariable = \"pressure\"\nrefine = -2\n"
                             "[[refinement]]\nkind = \"shell\"\nradius = 1\nwidth = 0.5\n");
  EXPECT_EQ(value_of(config, "[[refinement]]", "coarsen", 0), "0.05");
  EXPECT_EQ(value_of(config, "[[refinement]]", "coarsen", 1), "-3.0");
  EXPECT_EQ(value_of(config, "[[refinement]]", "centre", 2), "[0.0, 0.0, 2.0]");
  EXPECT_EQ(value_of(config, "[[refinement]]", "reference-time", 2), "-2.0");
}

TEST(Config, ResolvedInputIsTheInput) {
  const std::string text =
      probe +
      "density = 0.1\naxis = \"y\"\ncentre = [1e-7, 0.1, 3]\n"
      "[domain]\nlower = [-0.1, 0, 0]\nupper = [0.2, 0.3, 0.1]\ncells = [27, 27, 9]\n"
      "[boundary]\nz = \"reflecting\"\nx-lower = \"outflow\"\nx-upper = \"scenario\"\n"
      "[mesh]\npatch-size = 7\nmax-level = 5\n"
      "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.3\n"
      "[[refinement]]\nkind = \"shell\"\nradius = 0.123456789012345678\nwidth = 0.5\nlevel = 4\n"
      "[[refinement]]\nkind = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n"
      "[solver]\nscheme = \"muscl\"\nlimiter = \"minmod\"\ngamma = 1.6666666666666667\n"
      "[time]\nstart = -31.622776601683793\nend = -0.35\n"
      "[output]\ndirectory = \"out \\\"put\\\"\\\\\\u0007\"\nplot-times = [-1, -0.5]\n"
      "[partition]\nimbalance = 1.25\nweights = \"measured\"\n"
      "[checkpoint]\nevery-steps = 7\nevery-minutes = 2.5\nkeep = 3\n";
  const Config config = load(text, {"solver.cfl=0.35"});
  const Config again = load_config_text(config.resolved, "in.toml", {}, probes(), plenty);
  EXPECT_EQ(again.resolved, config.resolved);
  EXPECT_EQ(again.domain.lower, config.domain.lower);
  EXPECT_EQ(again.domain.upper, config.domain.upper);
  EXPECT_EQ(again.domain.cells, config.domain.cells);
  for (int face = 0; face < 6; ++face) EXPECT_EQ(again.domain.boundary[face], config.domain.boundary[face]);
  EXPECT_EQ(again.mesh.patch_size, 7);
  EXPECT_EQ(again.mesh.min_level, 3);
  EXPECT_EQ(again.mesh.max_level, 5);
  ASSERT_EQ(again.refinement.size(), 3u);
  EXPECT_EQ(value_of(again, "[[refinement]]", "radius", 1), "0.12345678901234568");
  EXPECT_EQ(value_of(again, "[[refinement]]", "upper", 2), "[1.0, 1.0, 1.0]");
  EXPECT_EQ(value_of(again, "[solver]", "gamma"), "1.6666666666666667");
  EXPECT_EQ(again.solver->traits().name, "euler muscl minmod");
  EXPECT_EQ(again.time.cfl, 0.35);
  EXPECT_EQ(again.time.start, config.time.start);
  EXPECT_EQ(again.output.directory, "out \"put\"\\\a");
  EXPECT_EQ(again.output.plot_times, config.output.plot_times);
  EXPECT_EQ(again.mesh.partition_imbalance, 1.25);
  EXPECT_TRUE(again.mesh.measured_weights);
  EXPECT_EQ(again.checkpoint.every_steps, 7);
  EXPECT_EQ(again.checkpoint.every_minutes, 2.5);
  EXPECT_EQ(again.checkpoint.keep, 3);
  EXPECT_EQ(dynamic_cast<const Probe&>(*again.scenario).centre_,
            dynamic_cast<const Probe&>(*config.scenario).centre_);
}

}  // namespace
}  // namespace meander::simulation
