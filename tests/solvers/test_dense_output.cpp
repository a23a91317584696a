// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Dense output of the Runge-Kutta method against integrations with short steps.
#include "solvers/dense_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace meander::solvers {
namespace {

// A nonlinear oscillator with friction: no rate is a multiple of another.
using State = std::array<double, 2>;
State rate(const State& y) {
  return {y[1] + 0.3 * y[0] * y[1], -std::sin(y[0]) - 0.2 * y[1] * y[1]};
}
State plus(const State& y, double by, const State& k) {
  return {y[0] + by * k[0], y[1] + by * k[1]};
}

struct Step {
  std::array<State, 4> input{}, k{};
  State end{};
};
Step runge_kutta(const State& start, double dt) {
  Step step;
  step.input[0] = start;
  for (std::size_t i = 0; i < 4; ++i) {
    step.k[i] = rate(step.input[i]);
    if (i < 3) step.input[i + 1] = plus(start, i < 2 ? dt / 2 : dt, step.k[i]);
  }
  for (std::size_t n = 0; n < 2; ++n)
    step.end[n] = start[n] + dt / 6 * (step.k[0][n] + 2 * step.k[1][n] + 2 * step.k[2][n] + step.k[3][n]);
  return step;
}

State integrate(State y, double dt) {
  for (int i = 0; i < 1000; ++i) y = runge_kutta(y, dt / 1000).end;
  return y;
}

// A patch of which every volume holds the state, advanced by a scheme that fills the stage blocks as
// FourthOrder does; the dense output of a box of it.
State dense(const State& start, double dt, const ShortStage& at) {
  const PatchLayout layout(2, 3, 3, 2);
  std::vector<double> q(static_cast<std::size_t>(layout.slot_size())), other(q.size(), NAN),
      stages(static_cast<std::size_t>(2 * layout.stage_block_size()));
  PatchTask task;
  task.q = q.data();
  task.stages = stages.data();
  const Step step = runge_kutta(start, dt);
  const Box<2> box{{1, 0}, {2, 3}};
  std::vector<double> kept(2 * box.volumes() * 2);
  double* const sum = task.stages + layout.stage_block_size();
  for (int stage = 0; stage < 3; ++stage) {
    for (int u = 0; u < 2; ++u) {
      const auto n = static_cast<std::size_t>(u);
      for (std::ptrdiff_t v = u * layout.volumes(); v < (u + 1) * layout.volumes(); ++v) {
        task.stages[v] = start[n];
        sum[v] = stage == 0 ? step.k[0][n] : sum[v] + 2 * step.k[static_cast<std::size_t>(stage)][n];
      }
    }
    keep_rates<2>(layout, task, stage, box, kept.data());
  }
  for (int u = 0; u < 2; ++u) {
    for_rows<2>(Box<2>{{0, 0}, {3, 3}}, [&](const Index<2>& i) {
      std::fill_n(task.q + layout.at(u, i), 3, step.end[static_cast<std::size_t>(u)]);
    });
  }
  dense_output<2>(layout, task, box, kept.data(), at, other.data());
  EXPECT_TRUE(std::isnan(other[static_cast<std::size_t>(layout.at(0, 0, 0))])) << "outside of the box";
  EXPECT_EQ(other[static_cast<std::size_t>(layout.at(1, 1, 0))],
            other[static_cast<std::size_t>(layout.at(1, 2, 2))]);
  return {other[static_cast<std::size_t>(layout.at(0, 1, 1))],
          other[static_cast<std::size_t>(layout.at(1, 2, 2))]};
}

double distance(const State& a, const State& b) {
  return std::max(std::abs(a[0] - b[0]), std::abs(a[1] - b[1]));
}

TEST(DenseOutput, GivesTheStageInputsOfShortStepsToFourthOrder) {
  const State start{0.7, -0.4};
  for (const int ratio : {2, 3}) {
    for (int substep = 0; substep < ratio; ++substep) {
      for (int stage = 0; stage < 4; ++stage) {
        double errors[2];
        for (const int finer : {0, 1}) {
          const double dt = 0.2 / (1 + finer);
          const State begin = integrate(start, substep * dt / ratio);
          const Step expected = runge_kutta(begin, dt / ratio);
          errors[finer] = distance(dense(start, dt, {ratio, substep, stage, dt}),
                                   expected.input[static_cast<std::size_t>(stage)]);
        }
        if (substep == 0 && stage < 2) {
          EXPECT_LT(errors[0], 1e-15) << "the state itself, and the first rate";
          continue;
        }
        const double order = std::log2(errors[0] / errors[1]);
        EXPECT_GE(order, 3.7) << ratio << ", substep " << substep << ", stage " << stage << ": " << errors[0];
      }
    }
  }
}

TEST(DenseOutput, OfOneSubstepIsTheStageInput) {
  const State start{0.7, -0.4};
  const Step step = runge_kutta(start, 0.3);
  for (int stage = 0; stage < 4; ++stage)
    EXPECT_LT(distance(dense(start, 0.3, {1, 0, stage, 0.3}), step.input[static_cast<std::size_t>(stage)]),
              1e-15);
}

TEST(DenseOutput, KeepsASteadyStateExactly) {
  for (const int ratio : {2, 3}) {
    for (int substep = 0; substep < ratio; ++substep) {
      for (int stage = 0; stage < 4; ++stage) {
        const State found = dense({0, 0}, 0.1, {ratio, substep, stage, 0.1});
        EXPECT_EQ(found[0], 0);
        EXPECT_EQ(found[1], 0);
      }
    }
  }
}

}  // namespace
}  // namespace meander::solvers
