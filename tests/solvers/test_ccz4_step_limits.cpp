// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What bounds the steps of a level with local time steps.

#include <gtest/gtest.h>

#include <cmath>

#include "physics/ccz4/solver.hpp"
#include "solvers/local_step_solver.hpp"
#include "tests/solvers/ccz4_states.hpp"

namespace meander::ccz4::test {
namespace {

double limit_at(const solvers::Solver& solver, double distance) {
  solvers::PatchTask task;
  task.lower[0] = distance;
  task.dx = 1;
  const solvers::PatchLayout layout(3, 9, 3, unknowns);
  return dynamic_cast<const solvers::LocalStepSolver&>(solver).step_limit_of(task, layout);
}

TEST(Ccz4StepLimits, FollowTheRatesThatFallWithDistance) {
  Parameters parameters;
  parameters.eta = 2;
  parameters.ordering = 5;
  parameters.eta_radius = parameters.ordering_radius = 2;
  const auto solver = make_solver(parameters);
  EXPECT_DOUBLE_EQ(limit_at(*solver, 0), 0.5 / 5);
  EXPECT_DOUBLE_EQ(limit_at(*solver, 10), 0.5 / (5 * 0.2));
  EXPECT_DOUBLE_EQ(limit_at(*solver, 1000), 0.5 / (3 * 0.1)) << "k1";
  EXPECT_DOUBLE_EQ(solver->step_limit(0, 1), 0.5 / 5) << "of all levels together";
  parameters.k1_radius = 2;
  EXPECT_DOUBLE_EQ(limit_at(*make_solver(parameters), 1000), 0.5 / (5 * 0.002)) << "all three fall";
}

TEST(Ccz4StepLimits, DoNotFollowTheRelaxationOfAlgebraicConstraints) {
  for (const double tau : {1.0, 1e-3}) {
    Parameters parameters;
    parameters.tau = tau;
    parameters.eta_radius = parameters.ordering_radius = 1;
    const auto solver = make_solver(parameters);
    EXPECT_DOUBLE_EQ(limit_at(*solver, 1000), 0.5 / (3 * 0.1));
    EXPECT_DOUBLE_EQ(solver->step_limit(0, 1), 0.5 * std::min(tau, 1.0));
  }
}

// The reason: in states that enforce() has corrected, as after each stage, it is zero to rounding.
TEST(Ccz4StepLimits, NeedNotBecauseCorrectedStatesDoNotRelax) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> draw(-1, 1);
  Terms slow{{}}, fast{{}};
  fast.parameters.tau = 1e-6;
  double most = 0, uncorrected = 0;
  for (int trial = 0; trial < 100; ++trial) {
    double q[unknowns], gradient[3 * unknowns], rates[2][unknowns];
    random_state(engine, q);
    for (double& slope : gradient) slope = draw(engine);
    for (const bool corrected : {false, true}) {
      if (corrected) {
        slow.enforce(q);
      } else {
        q[at::g] *= 1.01;
      }
      slow.rates(q, gradient, rates[0]);
      fast.rates(q, gradient, rates[1]);
      double& worst = corrected ? most : uncorrected;
      for (int n = 0; n < unknowns; ++n) worst = std::max(worst, std::abs(rates[1][n] - rates[0][n]));
    }
  }
  EXPECT_LT(most, 1e-8) << "a rounding error / tau";
  EXPECT_GT(uncorrected, 1e3);
}

}  // namespace
}  // namespace meander::ccz4::test
