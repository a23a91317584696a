// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What refinement criteria say of single leaves.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "tests/simulation/one_leaf.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::simulation {
namespace {

// The flag of `kind` with these keys for a leaf of 12^dim volumes whose first unknown is u(x, y, z), coordinates in
// volumes.
Flag flag_of(const std::string& keys, int dim, const std::function<double(double, double, double)>& u) {
  const Config config = load_config_text("[domain]\ndimensions = " + std::to_string(dim) +
                                             "\n[mesh]\nmin-level = 0\nmax-level = 2\n[[refinement]]\n" +
                                             keys + "\n[scenario]\nname = \"uniform\"\n",
                                         "test.toml", {}, scenarios(), 1e12);
  const solvers::PatchLayout layout(dim, 12, 1, dim + 2);
  solvers::test::Patch patch(layout);
  solvers::test::for_volumes(layout, 1, [&](int i, int j, int k) { patch.at(0, i, j, k) = u(i, j, k); });
  const solvers::PatchTask task = patch.task(1.0 / 12);
  return flag_of_leaf(config, {task, layout, 1});
}

const std::string loehner = "kind = \"loehner\"\nvariable = \"density\"";

TEST(Threshold, IsToBeExceeded) {
  const std::string threshold = "kind = \"threshold\"\nvariable = \"density\"\nrefine = 1\ncoarsen = 0.5\n";
  const auto flag = [&](double density) {
    return flag_of(threshold, 2, [&](double, double, double) { return density; });
  };
  EXPECT_EQ(flag(1.0), Flag::keep);
  EXPECT_EQ(flag(std::nextafter(1.0, 2.0)), Flag::refine);
  EXPECT_EQ(flag(0.4), Flag::coarsen);
}

TEST(Loehner, TellsFrontsAndRipplesFromSlopes) {
  for (const int dim : {2, 3}) {
    EXPECT_EQ(flag_of(loehner, dim, [](double, double, double) { return 3.0; }), Flag::coarsen);
    EXPECT_EQ(flag_of(loehner, dim, [](double x, double y, double) { return 100 + 3 * x - 2 * y; }),
              Flag::coarsen);
    EXPECT_EQ(flag_of(loehner, dim, [](double x, double, double) { return x < 5.5 ? 1.0 : 0.1; }),
              Flag::refine);
    EXPECT_EQ(flag_of(loehner, dim, [](double, double y, double) { return y < 5.5 ? 1.0 : 0.1; }),
              Flag::refine);
    // A wave of 24 volumes.
    EXPECT_EQ(flag_of(loehner, dim, [](double x, double, double) { return 2 + std::cos(x * M_PI / 12); }),
              Flag::keep);
  }
}

TEST(Loehner, FilterHidesRipples) {
  const auto ripple = [](double x, double, double) { return 1 + 1e-3 * std::cos(M_PI * x); };
  EXPECT_EQ(flag_of(loehner + "\nfilter = 0.0", 2, ripple), Flag::refine);
  EXPECT_EQ(flag_of(loehner, 2, ripple), Flag::coarsen);
}

// One volume with u- = 1, u = 2, u+ = 7 along x, without filter: |7 - 4 + 1| / (5 + 1) = 2 / 3.
TEST(Loehner, EstimateOfAKnownBend) {
  const auto bend = [](double x, double, double) {
    return x < 5.5 ? 1.0 + 0.0 * x : x < 6.5 ? 2.0 : 5 * (x - 6) + 2;
  };
  const auto keys = [](double refine) {
    return loehner + "\nfilter = 0.0\ncoarsen = 0.0\nrefine = " + std::to_string(refine);
  };
  // Where the plateau ends the estimate is 1: the first difference below vanishes.
  EXPECT_EQ(flag_of(keys(0.999), 2, bend), Flag::refine);
  const auto curve = [](double x, double, double) { return x < 6 ? x - 4 : x < 6.5 ? 2.0 : 5 * (x - 6) + 2; };
  EXPECT_EQ(flag_of(keys(0.66), 2, curve), Flag::refine);
  EXPECT_EQ(flag_of(keys(0.67), 2, curve), Flag::keep);
}

}  // namespace
}  // namespace meander::simulation
