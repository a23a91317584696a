// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Fronts between two regrids: they stay where the mesh is finest.

#include <fmt/format.h>

#include "simulation/refinement_criterion.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

struct Fronts {
  std::int64_t leaves = 0;  // that the first criterion wants refined, sum over all steps
  std::int64_t coarse = 0;  // those of them coarser than the finest level
};

// After every step, not only before a regrid.
Fronts fronts(const Config& config) {
  const auto simulation = make_simulation(config, available_processors());
  const RefinementCriterion& criterion = *config.refinement.at(0);
  Fronts found;
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    const StateView view = simulation->view();
    for (std::size_t leaf = 0; leaf < view.levels.size(); ++leaf) {
      if (criterion.flag({view.patches[leaf], view.layout, view.levels[leaf]}, view) != Flag::refine)
        continue;
      ++found.leaves;
      found.coarse += view.levels[leaf] < criterion.finest_level();
    }
  }
  return found;
}

struct FrontCase {
  std::string input;
  std::vector<std::string> settings;
};

class MovingFront : public testing::TestWithParam<FrontCase> {};
INSTANTIATE_TEST_SUITE_P(
    Long, MovingFront,
    testing::Values(FrontCase{"sedov-2d", {"mesh.max-level=3", "scenario.radius=0.02", "time.end=0.05"}},
                    FrontCase{"sod", {"time.end=0.1"}},
                    FrontCase{"riemann-2d", {"mesh.max-level=3", "time.end=0.2"}}),
    [](const auto& tested) {
      std::string name = tested.param.input;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST_P(MovingFront, StaysOnTheFinestLevelUntilTheNextRegrid) {
  for (const char* stepping : {"global", "local"}) {
    std::vector<std::string> settings = GetParam().settings;
    settings.push_back(fmt::format("time.stepping={}", stepping));
    const Config config = shipped_input(GetParam().input, settings);
    const Fronts found = fronts(config);
    std::printf("%s, %s steps, regrid after %d: %ld leaves with a front, %ld of them coarse\n",
                GetParam().input.c_str(), stepping, config.mesh.regrid_every, static_cast<long>(found.leaves),
                static_cast<long>(found.coarse));
    EXPECT_EQ(found.coarse, 0) << stepping;
    EXPECT_GT(found.leaves, 100);
  }
  // Without regrids the fronts reach coarse leaves.
  std::vector<std::string> settings = GetParam().settings;
  settings.emplace_back("mesh.regrid-every=1000000");
  const Fronts late = fronts(shipped_input(GetParam().input, settings));
  std::printf("no regrid: %ld leaves, %ld of them coarse\n", static_cast<long>(late.leaves),
              static_cast<long>(late.coarse));
  EXPECT_GT(late.coarse, 0);
}

}  // namespace
}  // namespace meander::simulation
