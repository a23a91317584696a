// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

#include "physics/euler/diagnostics/mass_profile.hpp"
#include "simulation/config/config.hpp"
#include "simulation/simulation.hpp"
#include "tests/simulation/scenario_fixture.hpp"

namespace meander::simulation {
using namespace euler;
namespace {

double ball(int dim) {
  return dim == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi;
}

ShellGrid grid_of(int dim, double radius, int count) {
  return {dim, {}, radius / count, count};
}

struct MassCase {
  int dim;
  double refined_radius;
};

class MassProfile : public testing::TestWithParam<MassCase> {};
INSTANTIATE_TEST_SUITE_P(DimensionsAndMeshes, MassProfile,
                         testing::Values(MassCase{2, 0.0}, MassCase{2, 0.5}, MassCase{3, 0.0},
                                         MassCase{3, 0.5}),
                         [](const auto& tested) {
                           return std::to_string(tested.param.dim) + "d_" +
                                  (tested.param.refined_radius > 0 ? "adaptive" : "uniform");
                         });

TEST_P(MassProfile, OfUniformExcessIsThatOfTheBall) {
  const auto [dim, refined] = GetParam();
  for (const int coarse : {5, 6}) {  // the centre in a volume's middle, and on a corner
    const TestMesh mesh(dim, 9, -1, 1, coarse, refined,
                        [&](const double*, double, double* q) { q[0] = 1.3; });
    ThreadTeam team(1);
    const auto grid = grid_of(dim, 1, 256);
    MassProfiler profiler(grid, std::pow(2, dim));
    const auto& excess = profiler.excess(mesh.view(-1, team));
    const double dx = 2.0 / (coarse * 9) / (refined > 0 ? 3 : 1);
    for (int i = 1; i <= grid.count; ++i) {
      const double r = grid.radius(i), exact = 0.3 * ball(dim) * std::pow(r, dim);
      const double tolerance = r < 1.5 * dx ? 0.2 : r < 3 * dx ? 0.08 : r < 8 * dx ? 0.02 : 0.015;
      EXPECT_NEAR(excess[static_cast<std::size_t>(i)] / exact, 1, tolerance) << "r / dx = " << r / dx;
    }
  }
}

// Infall with rho v = -(1 + r^2) x, across the centre and across a jump of the mesh.
TEST_P(MassProfile, GrowsByTheMassFluxThroughTheSphere) {
  const auto [dim, refined] = GetParam();
  const TestMesh mesh(dim, 9, -1, 1, 5, refined, [dim = dim](const double* x, double, double* q) {
    double square = 0;
    for (int d = 0; d < dim; ++d) square += x[d] * x[d];
    q[0] = 2;
    for (int d = 0; d < dim; ++d) q[1 + d] = -(1 + square) * x[d];
  });
  ThreadTeam team(2);
  const auto grid = grid_of(dim, 1, 256);
  MassProfiler profiler(grid, std::pow(2, dim));
  const auto profile = profiler.profile(mesh.view(-1, team));
  EXPECT_EQ(profile.excess, profiler.excess(mesh.view(-1, team)));
  const double dx = 2.0 / 45 / (refined > 0 ? 3 : 1);
  // Single spheres cut the volumes at random; means over two volumes do not.
  const int width = static_cast<int>(2 * dx / grid.dr) + 1;
  double worst = 0;
  for (int i = 4 * width; i + width <= grid.count; i += width) {
    double found = 0, exact = 0;
    for (int bin = i; bin < i + width; ++bin) {
      const double r = grid.radius(bin);
      found += profile.growth[static_cast<std::size_t>(bin)];
      exact += dim * ball(dim) * std::pow(r, dim) * (1 + r * r);
    }
    worst = std::max(worst, std::abs(found / exact - 1));
  }
  std::printf("rate of growth off by %.3f\n", worst);
  EXPECT_LT(worst, 0.08);
}

TEST_P(MassProfile, OfTopHatFollowsTheExactOne) {
  const auto [dim, refined] = GetParam();
  const double radius = 0.33, delta = 0.2;
  const auto scenario =
      make_scenario("accretion", cube(dim, -1, 1, 5.0 / 3.0), {{"radius", radius}, {"delta", delta}});
  const TestMesh mesh(dim, 9, -1, 1, 9, refined,
                      [&](const double* x, double dx, double* q) { scenario->initial(x, dx, q); });
  ThreadTeam team(2);
  const auto grid = grid_of(dim, 1, 512);
  MassProfiler profiler(grid, std::pow(2, dim));
  const auto& excess = profiler.excess(mesh.view(-1, team));
  const double total = delta * ball(dim) * std::pow(radius, dim);
  for (int i = 40; i <= grid.count; ++i) {
    const double r = grid.radius(i), exact = total * std::min(1.0, std::pow(r / radius, dim));
    // The edge is as wide as a volume.
    const bool at_edge = std::abs(r - radius) < 2.0 / 81 / (refined > 0 ? 3 : 1);
    EXPECT_NEAR(excess[static_cast<std::size_t>(i)], exact, (at_edge ? 0.05 : 0.02) * exact) << "r = " << r;
  }
  EXPECT_NEAR(excess.back() / total, 1, 1e-4);
}

TEST_P(MassProfile, HasTheSameBitsForAnyThreadsAndOrder) {
  const auto [dim, refined] = GetParam();
  TestMesh mesh(dim, 5, -1, 1, 7, refined, [](const double* x, double, double* q) {
    q[0] = 1 + std::sin(40 * x[0] + 13 * x[1]) * std::exp(7 * x[2]);
  });
  const auto grid = grid_of(dim, 0.9, 200);
  std::vector<double> reference;
  for (const int threads : {1, 2, 3, 5}) {
    for (int order = 0; order < 2; ++order) {
      ThreadTeam team(threads);
      const MassProfiler profiler(grid, std::pow(2, dim));
      const auto excess = profiler.excess(mesh.view(-1, team));
      if (reference.empty()) reference = excess;
      ASSERT_EQ(std::memcmp(excess.data(), reference.data(), excess.size() * sizeof(double)), 0);
      mesh.reverse();
    }
  }
}

// Sums that were kept when leaves were observed are those of a sweep, to the bit.
TEST_P(MassProfile, OfObservedLeavesIsThatOfASweep) {
  const auto [dim, refined] = GetParam();
  for (const int p : {5, 8, 9}) {
    for (const int bins : {20, 60, 500}) {  // shells wider and narrower than volumes
      const TestMesh mesh(dim, p, -1, 1, 5, refined, [&, dim = dim](const double* x, double, double* q) {
        q[0] = 1 + std::sin(40 * x[0] + 13 * x[1]);
        for (int d = 0; d < dim; ++d) q[1 + d] = -x[d] * (1 + std::cos(9 * x[1 - d % 2]));
      });
      const ShellGrid grid{dim, {0.1, -0.03, 0.2}, 0.6 / bins, bins};
      ThreadTeam team(2);
      const StateView view = mesh.view(-1, team);
      MassProfiler swept(grid, std::pow(2, dim)), observed(grid, std::pow(2, dim));
      observed.observer().start(view.patches.size(), view.layout);
      for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
        if (leaf % 7 != 3) observed.observer().observe(leaf, view.patches[leaf]);  // not all of them
      }
      const auto found = observed.profile(view), expected = swept.profile(view);
      EXPECT_EQ(found.excess, expected.excess);
      EXPECT_EQ(found.growth, expected.growth);
    }
  }
}

// The sums that a run keeps are those of the present state: across regrids, with refluxing, floors and local steps.
TEST(MassProfileOfARun, IsThatOfASweep) {
  for (const std::string stepping : {"global", "local"}) {
    const Config config = load_config_text(
        "[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\ncells = [3, 3]\n[boundary]\nall = "
        "\"periodic\"\n"
        "[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\nregrid-every = 3\nbuffer = 0\n"
        "[[refinement]]\nkind = \"ball\"\nradius = 0.25\nreference-time = -4.5\npower = -8\n"
        "[solver]\nscheme = \"muscl\"\ngamma = 1.6666666666666667\ndensity-floor = 0.99999\n"
        "[time]\nstepping = \"" +
            stepping +
            "\"\n[scenario]\nname = \"accretion\"\ndelta = 0.4\nradius = 0.3\npressure = "
            "0.05\nstart-scale-factor = 0.05\nradial-bins = 100\n",
        "test", {}, scenarios(), 1e12);
    const auto run = make_simulation(config, 2);
    const MassProfiler swept({2, {}, 0.01, 100}, 4.0);
    int meshes = 1;
    for (int step = 0; step < 24; ++step) {
      const auto leaves = run->leaves().total;
      run->advance(1e9);
      meshes += run->leaves().total != leaves;
      const auto measures = run->measures();
      const auto found = std::ranges::find(measures, "mass_excess", &Measure::name);
      ASSERT_NE(found, measures.end());
      EXPECT_EQ(found->value, swept.excess(run->view()).back()) << stepping << " step " << step;
    }
    EXPECT_GT(meshes, 2);
    EXPECT_GT(run->treated_volumes().floored, 0);
    if (stepping == "local") {
      EXPECT_GT(run->local_steps()->gain(), 1.0);
    }
  }
}

// Two levels, ratio 3: the profile at the beginning of each step of the fine level is that of coarse densities
// interpolated in time. Fine densities change at will.
TEST_P(MassProfile, WithinAStepIsThatOfInterpolatedCoarseDensities) {
  const auto [dim, refined] = GetParam();
  if (refined == 0) return;
  const auto mesh_of = [&, dim = dim, refined = refined](double coarse, double fine) {
    return TestMesh(dim, 5, -1, 1, 7, refined, [=](const double* x, double dx, double* q) {
      const double amount = dx > 2.0 / 40 ? coarse : fine;
      q[0] = 1 + amount * (2 + std::sin(9 * x[0] + 5 * x[1]));
      for (int d = 0; d < dim; ++d) q[1 + d] = amount * x[d] * (1 + d);
    });
  };
  const auto grid = grid_of(dim, 0.9, 200);
  ThreadTeam team(2);
  const double volume = std::pow(2, dim), old = 0.1, now = 0.7;
  MassProfiler profiler(grid, volume), of_mean(grid, volume);
  const TestMesh start = mesh_of(old, 0.1);
  const auto at_start = profiler.profile(start.view(-1, team));
  const int finest = static_cast<int>(start.view(-1, team).level_dx.size()) - 1;
  std::vector<double> passed(static_cast<std::size_t>(finest) + 1, 0.0);
  const auto expect_near = [&](const std::vector<double>& found, const std::vector<double>& expected,
                               double tolerance = 1e-12) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], tolerance) << "bin " << i;
  };
  for (const int substep : {1, 2}) {
    const double fine = 0.1 + 0.3 * substep, theta = substep / 3.0;
    passed[static_cast<std::size_t>(finest) - 1] = theta;
    const TestMesh between = mesh_of(now, fine), mean = mesh_of(old + theta * (now - old), fine);
    const auto found = profiler.profile(between.view(-1, team), {finest, passed});
    const auto expected = of_mean.profile(mean.view(-1, team));
    expect_near(found.excess, expected.excess);
    expect_near(found.growth, expected.growth, 1e-8);
    EXPECT_GT(std::abs(found.excess.back() - at_start.excess.back()), 1e-4);
    EXPECT_GT(std::abs(found.growth.back() - at_start.growth.back()), 1e-4);
  }
  // Both levels begin a step; then only the coarse one has moved on.
  passed.assign(passed.size(), 0.0);
  const TestMesh end = mesh_of(0.6, 1.0), after = mesh_of(0.3, 1.0), mean = mesh_of(0.5, 1.0);
  const auto at_end = profiler.profile(end.view(-1, team), {finest - 1, passed}),
             expected = of_mean.profile(end.view(-1, team));
  EXPECT_EQ(at_end.excess, expected.excess) << "to the bit";
  EXPECT_EQ(at_end.growth, expected.growth) << "to the bit";
  passed[static_cast<std::size_t>(finest) - 1] = 1.0 / 3;
  expect_near(profiler.profile(after.view(-1, team), {finest, passed}).excess,
              of_mean.profile(mean.view(-1, team)).excess);
}

TEST_P(MassProfile, ToleratesStatesThatAreNone) {
  const auto [dim, refined] = GetParam();
  for (const double density : {std::nan(""), 1e300, -1e300}) {
    const TestMesh mesh(dim, 5, -1, 1, 3, refined, [&](const double*, double, double* q) { q[0] = density; });
    ThreadTeam team(1);
    const MassProfiler profiler(grid_of(dim, 1, 64), std::pow(2, dim));
    EXPECT_EQ(profiler.excess(mesh.view(-1, team)).size(), 65u);
  }
}

TEST_P(MassProfile, GivesGravityOfAPointMassOutside) {
  const auto [dim, refined] = GetParam();
  const double mass = 0.05;
  const auto scenario = make_scenario("accretion", cube(dim, -1, 1, 5.0 / 3.0),
                                      {{"seed", std::string("point")}, {"mass", mass}, {"radius", 0.05}});
  const TestMesh mesh(dim, 9, -1, 1, 9, refined,
                      [&](const double* x, double dx, double* q) { scenario->initial(x, dx, q); });
  ThreadTeam team(1);
  const auto grid = grid_of(dim, 1, 300);
  MassProfiler profiler(grid, std::pow(2, dim));
  const auto gravity = std::make_unique<euler::Gravity>();
  const double a = 0.25;
  fill_gravity(*gravity, grid, profiler.profile(mesh.view(-2, team)), -2);
  EXPECT_TRUE(gravity->radial);
  EXPECT_EQ(gravity->bins, 300);
  EXPECT_DOUBLE_EQ(gravity->strength_rate, gravity->strength) << "d(tau^-2)/dtau = -2 tau^-3 at tau = -2";
  EXPECT_EQ(gravity->excess_rate, 0) << "at rest";
  EXPECT_EQ(gravity->dim, dim);
  EXPECT_DOUBLE_EQ(gravity->strength, (dim == 3 ? 1.5 : 3.0) * a / std::numbers::pi);
  EXPECT_NEAR(gravity->excess_total, mass, 1e-6);
  double most = 0;
  for (int i = 0; i <= gravity->bins; ++i) {
    const double r = i * gravity->dr;
    EXPECT_TRUE(std::isfinite(gravity->table[i]));
    most = std::max(most, gravity->strength * std::abs(gravity->table[i]) * r);
    if (r > 0.25) {
      EXPECT_NEAR(gravity->table[i] * std::pow(r, dim) / mass, 1, 2e-3);
    }
  }
  EXPECT_DOUBLE_EQ(gravity->g_max, most);
  EXPECT_GT(gravity->table[0], 0);
}

}  // namespace
}  // namespace meander::simulation
