// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps of several stages on nested levels.

#include "solvers/local_step_solver.hpp"
#include "tasks/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "physics/ccz4/solver.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

constexpr int p = 9;

// Flat space with waves of every unknown: constraints are enforced everywhere. Without waves the state is the same
// everywhere and changes in time only; unknowns that stand for derivatives are then 0.
std::unique_ptr<mesh::PatchMesh<3>> rough_space(const solvers::Solver& solver, ThreadTeam& team,
                                                double amplitude = 0.01, double wave_number = 6.283) {
  auto mesh = nested_mesh<3>(solver, p, mesh::boundary::periodic, team);
  const auto& layout = mesh->layout();
  for (const auto& patch : mesh->patches()) {
    for (int v = 0; v < layout.volumes(); ++v) {
      const Index<3> i{v % p, v / p % p, v / (p * p)};
      double phase = 0;
      for (std::size_t a = 0; a < 3; ++a)
        phase += (3.0 + 2 * static_cast<double>(a)) * (patch.lower[a] + (i[a] + 0.5) * patch.dx);
      for (int u = 0; u < layout.unknowns; ++u) {
        const bool is_one = u == ccz4::at::a || u == ccz4::at::phi || u == ccz4::at::g ||
                            u == ccz4::at::g + 3 || u == ccz4::at::g + 5;
        const bool is_slope = (u >= ccz4::at::A && u < ccz4::at::K) || (u >= ccz4::at::P && u < ccz4::at::K0);
        if (is_slope && wave_number == 0) {
          patch.q[layout.at(u, i)] = 0;
          continue;
        }
        patch.q[layout.at(u, i)] = (is_one ? 1.0 : 0.0) + amplitude * std::sin(wave_number * phase + u);
      }
    }
    solver.enforce_floors(patch, layout);
  }
  mesh->fill_halos(0, team);
  return mesh;
}

std::vector<std::int64_t> leaves_of(const mesh::PatchMesh<3>& mesh) {
  std::vector<std::int64_t> leaves(3, 0);
  for (const int level : mesh.levels()) ++leaves[static_cast<std::size_t>(level - 1)];
  return leaves;
}

double largest_difference(const mesh::PatchMesh<3>& a, const mesh::PatchMesh<3>& b) {
  double worst = 0;
  for (std::size_t leaf = 0; leaf < a.size(); ++leaf) {
    for (int u = 0; u < a.layout().unknowns; ++u) {
      for (int v = 0; v < a.layout().volumes(); ++v) {
        const std::ptrdiff_t at = a.layout().at(u, v % p, v / p % p, v / (p * p));
        worst = std::max(worst, std::abs(a.patches()[leaf].q[at] - b.patches()[leaf].q[at]));
      }
    }
  }
  return worst;
}

class StagedStepsOfLong : public testing::Test {
 protected:
  std::unique_ptr<solvers::Solver> solver_ = ccz4::make_solver({});
  // The domain is 1 wide, its finest volumes 1 / 243.
  static constexpr double finest_dt = 0.2 / 243;
  static LocalStepRule rule(std::span<const std::int64_t> leaves) {
    return {2, leaves, [](std::size_t, double, double) { return 1.0; }};
  }
};

// The bits of the state, of halos as far as the solver reads them, and of the status. Other numbers of threads:
// LocalTasks.
TEST_F(StagedStepsOfLong, EqualStepsHasTheBitsOfGlobalSteps) {
  ASSERT_TRUE(solvers::has_staged_local_steps(*solver_));
  ThreadTeam team(3);
  const auto global = rough_space(*solver_, team), local = rough_space(*solver_, team);
  Step<3> traversal(*global, *solver_, team);
  Step<3> levels(*local, *solver_, team);
  const auto leaves = leaves_of(*local);
  double t = 0;
  for (int step = 0; step < 2; ++step, t += finest_dt) {
    const auto expected = traversal.advance(t, finest_dt, t + finest_dt),
               found = levels.advance(t, finest_dt, t + finest_dt, std::vector{1, 1}, rule(leaves));
    EXPECT_FALSE(found.failed);
    EXPECT_EQ(found.crossing, expected.crossing);
    EXPECT_EQ(found.floored, expected.floored);
  }
  const auto left = slots_of<3>(*global), right = slots_of<3>(*local);
  for (std::size_t leaf = 0; leaf < left.size(); ++leaf) ASSERT_EQ(left[leaf], right[leaf]) << leaf;
  EXPECT_EQ(levels.counts().shadow_updates, 0);
}

// Where the state changes in time only, one step of level 1 with any ratios differs from global steps of the
// finest level by the halos beside coarser levels, and these are of fourth order. The differences are a
// thousand times larger without constraints enforced on these halos.
TEST_F(StagedStepsOfLong, RatiosHasHalosOfFourthOrderInTime) {
  ThreadTeam team(2);
  for (const auto& ratios : {std::vector{1, 3}, {3, 1}}) {
    const int product = ratios[0] * ratios[1];
    double errors[2];
    for (const int shorter : {0, 1}) {
      const double dt = 2 * finest_dt * product / (1 + shorter);
      const auto global = rough_space(*solver_, team, 0.2, 0), local = rough_space(*solver_, team, 0.2, 0);
      Step<3> traversal(*global, *solver_, team);
      for (int step = 0; step < product; ++step) {
        const double t = step * dt / product;
        ASSERT_FALSE(traversal.advance(t, dt / product, t + dt / product).failed);
      }
      Step<3> levels(*local, *solver_, team);
      const auto leaves = leaves_of(*local);
      // These limits make the ratios of finer levels what they were.
      const LocalStepRule same{2, leaves, [&](std::size_t level, double, double) {
                                 return dt / (level == 1 ? ratios[0] : product);
                               }};
      ASSERT_FALSE(levels.advance(0, dt, dt, ratios, same).failed);
      EXPECT_EQ(levels.counts().steps, (std::vector<std::int64_t>{0, 1, ratios[0], product}));
      errors[shorter] = largest_difference(*global, *local);
    }
    const double order = std::log2(errors[0] / errors[1]);
    std::printf("ratios %d, %d: differences %.3e and %.3e, order %.2f\n", ratios[0], ratios[1], errors[0],
                errors[1], order);
    EXPECT_GE(order, 4.5);
    EXPECT_LE(errors[0], 2e-11);
  }
}

}  // namespace
}  // namespace meander::tasks
