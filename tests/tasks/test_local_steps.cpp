// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps on nested levels.

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "base/exact_sum.hpp"
#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tasks/step_plan.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

std::vector<std::int64_t> leaves_of(std::span<const int> levels) {
  std::vector<std::int64_t> leaves(3, 0);
  for (const int level : levels) ++leaves[static_cast<std::size_t>(level - 1)];
  return leaves;
}

// Ratios of levels 2 and 3 that do not change.
struct Fixed {
  std::vector<int> ratios;
  std::vector<std::int64_t> leaves;
  double dt;
  // The longest steps for which these ratios are the least ones.
  LocalStepRule rule() const {
    return {2, leaves, [this](std::size_t level, double, double) {
              double limit = dt;
              for (std::size_t l = 0; l < level; ++l) limit /= ratios[l];
              return limit;
            }};
  }
};

template <int D>
void expect_bits_of_global_steps(const GasCase& c, int threads) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme, .riemann = c.riemann});
  ThreadTeam team(threads);
  const auto global = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team),
             local = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team);
  const double dt = 0.1 / (27 * c.p * D);
  const Fixed fixed{{1, 1}, leaves_of(local->levels()), dt};
  Step<D> traversal(*global, *solver, team);
  Step<D> levels(*local, *solver, team);
  double t = 0;
  for (int step = 0; step < 3; ++step, t += dt) {
    const solvers::Status expected = traversal.advance(t, dt, t + dt),
                          found = levels.advance(t, dt, t + dt, fixed.ratios, fixed.rule());
    ASSERT_FALSE(expected.failed);
    EXPECT_EQ(found.failed, false);
    EXPECT_EQ(found.min_crossing(), expected.min_crossing());
    EXPECT_EQ(found.crossing, expected.crossing);
    EXPECT_EQ(found.first_order, expected.first_order);
    EXPECT_EQ(levels.leaf_updates(), static_cast<std::int64_t>(local->size()));
    const solvers::HaloShape shape = solver->traits().halo_shape;
    const auto left = slots_of<D>(*global, shape), right = slots_of<D>(*local, shape);
    for (std::size_t leaf = 0; leaf < left.size(); ++leaf) {
      ASSERT_EQ(std::memcmp(left[leaf].data(), right[leaf].data(), left[leaf].size() * sizeof(double)), 0)
          << D << "D, " << c.scheme << ", step " << step << ", leaf " << leaf;
    }
  }
}

TEST(LocalStepsQuick, HasTheBitsOfGlobalStepsIfAllRatiosAreOne) {
  for (const GasCase& c : gas_cases) {
    for (const int threads : {1, 3}) expect_bits_of_global_steps<2>(c, threads);
    if (c.p < 7) expect_bits_of_global_steps<3>(c, 2);
  }
}

template <int D>
std::vector<ExactSum> sums(const mesh::PatchMesh<D>& mesh, bool magnitudes) {
  const auto& layout = mesh.layout();
  std::vector<ExactSum> totals(static_cast<std::size_t>(layout.unknowns));
  for (const auto& patch : mesh.patches()) {
    for (int u = 0; u < layout.unknowns; ++u) {
      for (int v = 0; v < layout.volumes(); ++v) {
        Index<D> i{};
        for (int a = 0, rest = v; a < D; ++a, rest /= layout.p) i[a] = rest % layout.p;
        const double q = patch.q[layout.at(u, i)] * std::pow(patch.dx, D);
        totals[static_cast<std::size_t>(u)].add(magnitudes ? std::abs(q) : q);
      }
    }
  }
  return totals;
}

// A leaf's own flux and the sum of its finer neighbours' fluxes cancel exactly up to rounding.
template <int D>
void expect_conservation(const GasCase& c, const std::vector<int>& ratios) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme, .riemann = c.riemann});
  ThreadTeam team(2);
  const auto mesh = nested_mesh<D>(*solver, c.p, mesh::boundary::periodic, team);
  const double dt = 0.1 / (27 * c.p * D) * ratios[0] * ratios[1];
  const Fixed fixed{ratios, leaves_of(mesh->levels()), dt};
  Step<D> levels(*mesh, *solver, team);
  const auto before = sums<D>(*mesh, false), scale = sums<D>(*mesh, true);
  const int steps = 10;
  double t = 0;
  for (int step = 0; step < steps; ++step, t += dt) {
    const solvers::Status status = levels.advance(t, dt, t + dt, ratios, fixed.rule());
    ASSERT_FALSE(status.failed);
    EXPECT_EQ(status.floored, 0);
    const auto& n = fixed.leaves;
    EXPECT_EQ(levels.leaf_updates(), n[0] + ratios[0] * (n[1] + ratios[1] * n[2]));
  }
  EXPECT_EQ(levels.counts().large_ratios, 0);
  EXPECT_EQ(levels.counts().steps,
            (std::vector<std::int64_t>{0, steps, steps * ratios[0], steps * ratios[0] * ratios[1]}));
  const auto after = sums<D>(*mesh, false);
  for (std::size_t u = 0; u < before.size(); ++u) {
    EXPECT_LE(std::abs(after[u].value() - before[u].value()), 1e-15 * steps * scale[u].value())
        << D << "D, " << c.scheme << ", unknown " << u << ", ratios " << ratios[0] << ", " << ratios[1];
  }
}

TEST(LocalStepsQuick, ConservesMassMomentumAndEnergy) {
  for (const GasCase& c : gas_cases) {
    for (const std::vector<int>& ratios : {std::vector{3, 3}, {1, 3}, {2, 3}, {3, 1}, {3, 2}, {1, 2}}) {
      expect_conservation<2>(c, ratios);
      if (c.p < 6) expect_conservation<3>(c, ratios);
    }
  }
}

// Ratios of 1 to 5 that differ between levels, between steps of the coarsest level, and between those of the middle
// one. Sums of fluxes of each number of steps cancel, and errors of rounding do not add up.
TEST(LocalStepsLong, ConservesOverAThousandStepsOfMixedRatios) {
  constexpr int D = 2, steps = 1000;
  for (const GasCase& c : gas_cases) {
    const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme, .riemann = c.riemann});
    ThreadTeam team(2);
    const auto mesh = nested_mesh<D>(*solver, c.p, mesh::boundary::periodic, team);
    const auto leaves = leaves_of(mesh->levels());
    // Of the coarsest level: stable on the finest one even if all ratios are 1.
    const double dt = 0.3 / (27 * c.p * D);
    std::mt19937 random(1);
    const auto any_ratio = [&] { return static_cast<int>(1 + random() % 5); };
    std::int64_t updates = 0, large = 0, middle = 0, finest = 0;
    const auto before = sums<D>(*mesh, false), scale = sums<D>(*mesh, true);
    Step<D> levels(*mesh, *solver, team);
    double worst = 0, t = 0;
    for (int step = 0; step < steps; ++step, t += dt) {
      const std::vector ratios{any_ratio(), any_ratio()};
      middle += ratios[0];
      finest += ratios[1];
      large += std::ranges::count_if(ratios, [](int ratio) { return ratio > planned_ratio; });
      const LocalStepRule rule{2, leaves, [&](std::size_t, double, double) {
                                 const int ratio = any_ratio();
                                 finest += ratio;
                                 if (ratio > planned_ratio) ++large;
                                 return dt / (ratios[0] * ratio);
                               }};
      const solvers::Status status = levels.advance(t, dt, t + dt, ratios, rule);
      ASSERT_FALSE(status.failed);
      ASSERT_EQ(status.floored, 0);
      updates += levels.leaf_updates();
      const auto now = sums<D>(*mesh, false);
      for (std::size_t u = 0; u < now.size(); ++u)
        worst = std::max(worst, std::abs(now[u].value() - before[u].value()) / scale[u].value());
      EXPECT_LE(worst, 1e-15 * (step + 1)) << "step " << step;
    }
    std::printf("%s, %s, p = %d: largest relative change %.2e in %d steps\n", c.scheme.c_str(),
                c.riemann.c_str(), c.p, worst, steps);
    EXPECT_LE(worst, 1e-14);
    EXPECT_EQ(levels.counts().steps, (std::vector<std::int64_t>{0, steps, middle, finest}));
    EXPECT_EQ(levels.counts().large_ratios, large);
    EXPECT_EQ(updates, leaves[0] * steps + leaves[1] * middle + leaves[2] * finest);
  }
}

// As fill_halos() on a mesh whose coarse leaves have the interpolated state.
template <int D>
void expect_interpolated_halos(const GasCase& c, int coarse, const solvers::ShortStage& at) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme});
  ThreadTeam team(2);
  const auto between = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team),
             expected = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team);
  mesh::LocalSteps<D>& steps = between->local_steps();
  mesh::CoarseInTime<D>& in_time = steps.coarse(coarse);
  mesh::LevelExchange<D>& halos = steps.exchange(coarse + 1);
  const double theta = static_cast<double>(at.substep) / at.ratio;
  const auto size = static_cast<std::size_t>(between->layout().slot_size());
  for (std::size_t leaf = 0; leaf < between->size(); ++leaf) {
    if (between->levels()[leaf] != coarse) continue;
    in_time.keep_state(static_cast<std::int32_t>(leaf));
    double *now = between->patches()[leaf].q, *at_theta = expected->patches()[leaf].q;
    for (std::size_t i = 0; i < size; ++i) {
      const double old = now[i];
      now[i] = (1.2 + 0.1 * std::sin(static_cast<double>(i))) * old;
      at_theta[i] = old + theta * (now[i] - old);
    }
  }
  in_time.evaluate(at, team);
  halos.send(team);
  halos.fill_local(0, team);
  halos.finish_fill(0, team);
  expected->fill_halos(0, team);
  const solvers::HaloShape shape = solver->traits().halo_shape;
  const auto found = slots_of<D>(*between, shape), wanted = slots_of<D>(*expected, shape);
  for (std::size_t leaf = 0; leaf < found.size(); ++leaf) {
    if (between->levels()[leaf] <= coarse) continue;
    ASSERT_EQ(std::memcmp(found[leaf].data(), wanted[leaf].data(), size * sizeof(double)), 0)
        << D << "D, " << c.scheme << ", leaf " << leaf;
  }
}

TEST(LevelExchange, HasTheHalosOfTheInterpolatedState) {
  for (const GasCase& c : gas_cases) {
    for (const int coarse : {1, 2}) {
      for (const solvers::ShortStage& at : {solvers::ShortStage{1, 0}, {3, 1}, {2, 1}}) {
        expect_interpolated_halos<2>(c, coarse, at);
        if (c.p < 7) expect_interpolated_halos<3>(c, coarse, at);
      }
    }
  }
}

// Mass is conserved with ratios that differ between steps of the coarser level.
TEST(LocalSteps, ChoosesLargerRatiosIfWaveSpeedsGrowWithinAStep) {
  const GasCase c{6, "muscl", "rusanov"};
  const auto solver = euler::make_solver(2, {}, {.scheme = c.scheme});
  ThreadTeam team(2);
  const auto mesh = nested_mesh<2>(*solver, c.p, mesh::boundary::periodic, team);
  const double dt = 9 * 0.1 / (27 * c.p * 2);
  const auto leaves = leaves_of(mesh->levels());
  // From the second step of level 2 on, level 3 stands only steps a fifth as long as those of level 2.
  const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double t) {
                             return level == 2 ? (t > 0 ? dt / 15 : dt / 9) : dt / 3;
                           }};
  Step<2> levels(*mesh, *solver, team);
  ASSERT_FALSE(levels.advance(0, dt, dt, std::vector{3, 3}, rule).failed);
  EXPECT_EQ(levels.counts().steps, (std::vector<std::int64_t>{0, 1, 3, 13})) << "3 + 5 + 5 steps of level 3";
  EXPECT_EQ(levels.counts().large_ratios, 2);
  const auto after = sums<2>(*mesh, false);
  const auto again = nested_mesh<2>(*solver, c.p, mesh::boundary::periodic, team);
  EXPECT_NEAR(after[0].value(), sums<2>(*again, false)[0].value(), 1e-15);
}

}  // namespace
}  // namespace meander::tasks
