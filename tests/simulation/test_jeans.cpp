// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Refinement by the Jeans length of gas in its own gravity.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simulation/module.hpp"
#include "simulation/refinement_criterion.hpp"
#include "tests/io/scratch.hpp"
#include "tests/simulation/offload_runs.hpp"
#include "tests/simulation/one_leaf.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::simulation {
namespace {

constexpr double pi = std::numbers::pi, gamma = 1.1;

// A periodic unit box in which a bump of gas falls together.
std::string falling_gas(int dim, const std::string& keys, const std::string& gravity = "constant = 6") {
  return "[domain]\ndimensions = " + std::to_string(dim) +
         "\n[mesh]\npatch-size = 9\nmin-level = 1\nmax-level = 3\n[[refinement]]\nkind = \"jeans\"\n" + keys +
         "\n[solver]\nscheme = \"muscl\"\ngamma = 1.1\n[gravity]\nmethod = \"poisson\"\n" + gravity +
         "\n[scenario]\nname = \"formulas\"\n[scenario.fields]\n"
         "density = \"1 + exp(-((x - 0.5)^2 + (y - 0.5)^2) / 0.02)\"\npressure = \"1\"\n[time]\nend = 0.3\n";
}

Config config_for(const std::string& text, const std::vector<std::string>& settings = {}) {
  return load_config_text(text, "test.toml", settings, scenarios(), 1e12);
}

// The flag of a leaf of level 2 at time t, of gas with density and pressure 2, but for one volume of density 8, in which the
// Jeans length is a quarter of that elsewhere.
Flag flag_of(const std::string& text, int dim, bool has_dense_volume, double t) {
  const Config config = config_for(
      text, t < 0 ? std::vector<std::string>{"time.start=-2", "time.end=-1"} : std::vector<std::string>{});
  const solvers::PatchLayout layout(dim, 9, 1, dim + 2);
  solvers::test::Patch patch(layout);
  solvers::test::for_volumes(layout, 1, [&](int i, int j, int k) {
    const bool is_dense = has_dense_volume && i == 8 && j == 0 && (dim == 2 || k == 8);
    const bool is_halo = i < 0 || j < 0 || k < 0 || i > 8 || j > 8 || k > 8;
    patch.at(0, i, j, k) = is_dense ? 8 : is_halo ? 1e6 : 2;
    for (int a = 0; a < dim; ++a) patch.at(1 + a, i, j, k) = 0;
    patch.at(dim + 1, i, j, k) = 2 / (gamma - 1);
  });
  const solvers::PatchTask task = patch.task(1.0 / 81);
  return flag_of_leaf(config, {task, layout, 2}, t);
}

std::string keys_of(double refine, double coarsen) {
  return "refine = " + std::to_string(refine) + "\ncoarsen = " + std::to_string(coarsen);
}

TEST(Jeans, CountsTheVolumesOfTheJeansLength) {
  const double volumes = std::sqrt(pi * gamma * 2 / 2 / (6 * 2)) * 81;
  for (const int dim : {2, 3}) {
    for (const bool is_dense : {false, true}) {
      const double n = is_dense ? volumes / 4 : volumes;
      const auto flag = [&](double refine, double coarsen) {
        return flag_of(falling_gas(dim, keys_of(refine * n, coarsen * n)), dim, is_dense, 0);
      };
      EXPECT_EQ(flag(1.001, 4), Flag::refine);
      EXPECT_EQ(flag(0.999, 4), Flag::keep);
      EXPECT_EQ(flag(0.3, 1.001), Flag::keep);
      EXPECT_EQ(flag(0.3, 0.999), Flag::coarsen);
    }
  }
}

// 6 a takes the place of 4 pi G, and a = t^-2.
TEST(Jeans, GrowsShorterInAnExpandingUniverse) {
  const auto text = [](double refine) {
    std::string result = falling_gas(2, keys_of(refine, 4 * refine), "supercomoving = true");
    const std::string one = "1.1", monatomic = "1.6666666666666667";
    return result.replace(result.find(one), one.size(), monatomic);
  };
  for (const double t : {-2.0, -1.25}) {
    const double volumes =
        2 * pi * std::sqrt(5.0 / 3 * 2 / (gamma - 1) * (2.0 / 3) / 2 / (6 / (t * t) * 2)) * 81;
    EXPECT_EQ(flag_of(text(1.001 * volumes), 2, false, t), Flag::refine) << t;
    EXPECT_EQ(flag_of(text(0.999 * volumes), 2, false, t), Flag::keep) << t;
  }
}

// As long as finer levels are allowed, the Jeans length spans as many volumes as asked for everywhere, but for what a step takes away;
// the mesh has jumps.
TEST(Jeans, StaysResolved) {
  const std::vector<std::string> settings = {"mesh.max-level=4", "mesh.regrid-every=1", "time.end=0.36"};
  const Config config = config_for(falling_gas(2, "refine = 20"), settings);
  const Config after_a_step = config_for(falling_gas(2, "refine = 19"), settings);
  const auto simulation = make_simulation(config, 2);
  bool has_finest = false, has_coarse = false;
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    const StateView view = simulation->view();
    for (std::size_t leaf = 0; leaf < view.levels.size(); ++leaf) {
      const int level = view.levels[leaf];
      has_finest = has_finest || level == 4;
      has_coarse = has_coarse || level < 4;
      if (level < 4) {
        ASSERT_NE(after_a_step.refinement[0]->flag({view.patches[leaf], view.layout, level}, view),
                  Flag::refine)
            << simulation->time();
      }
    }
  }
  EXPECT_TRUE(has_finest && has_coarse);
}

TEST(Jeans, IsFoundOnTheDevice) {
  for (const bool dual_energy : {false, true}) {
    const auto outcome = [&](std::vector<std::string> settings) {
      settings.push_back(dual_energy ? "solver.dual-energy=true" : "solver.dual-energy=false");
      settings.push_back("gravity.constant=30");
      const Config config = config_for(falling_gas(2, "refine = 12"), settings);
      auto simulation = make_simulation(config, 2);
      while (simulation->step() < 40) simulation->advance(config.time.end);
      return simulation;
    };
    const auto expected = outcome({}), found = outcome({"offload.device=host", "gpu-memory.patches=device"});
    EXPECT_EQ(found->resident().value().brought_home.count("regrid"), 0u);
    EXPECT_GT(
        std::ranges::count_if(expected->leaves().per_level, [](std::int64_t leaves) { return leaves > 0; }),
        1);
    expect_same(outcome_of(*found), outcome_of(*expected), dual_energy ? "dual energy" : "one energy");
  }
}

TEST(Jeans, RefusesWhatItCannotDo) {
  const auto said = [](const std::string& text, const std::vector<std::string>& settings = {}) {
    return testing_io::message_of<InputError>([&] { config_for(text, settings); });
  };
  EXPECT_EQ(said(falling_gas(2, "refine = 12")), "no such exception");
  EXPECT_NE(
      said(falling_gas(2, "refine = 12\ncoarsen = 30"))
          .find("test.toml:10:11: refinement[0].coarsen: must be at least three times refine, but is 30 "
                "and refine is 12"),
      std::string::npos);
  EXPECT_NE(said(falling_gas(2, ""), {"gravity.method=none"}).find("gravity.constant"), std::string::npos);
  const std::string alone =
      "[domain]\ndimensions = 2\n[[refinement]]\nkind = \"jeans\"\n[scenario]\nname = \"uniform\"\n";
  EXPECT_NE(
      said(alone).find(
          "test.toml:4:8: refinement[0].kind: 'jeans' needs self-gravity: gravity.method = \"poisson\""),
      std::string::npos);
}

}  // namespace
}  // namespace meander::simulation
