// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The Solver interface of the Euler solver.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "physics/euler/kick.hpp"
#include "physics/euler/solver.hpp"
#include "solvers/pack.hpp"

namespace meander::solvers::test {
namespace {

class EulerSolver : public testing::TestWithParam<int> {
 protected:
  int dim = GetParam();
  euler::Parameters parameters{.gamma = 1.6};
  std::unique_ptr<Solver> solver = euler::make_solver(dim, parameters);
};
INSTANTIATE_TEST_SUITE_P(Dimensions, EulerSolver, testing::Values(2, 3));

TEST_P(EulerSolver, HasItsTraits) {
  const Traits& first = solver->traits();
  EXPECT_EQ(first.name, "euler rusanov");
  EXPECT_EQ(first.dim, dim);
  EXPECT_EQ(first.unknowns, dim + 2);
  EXPECT_EQ(first.unknown_names.size(), static_cast<std::size_t>(dim + 2));
  EXPECT_EQ(first.halo, 1);
  EXPECT_EQ(first.halo_shape, HaloShape::faces);
  EXPECT_EQ(first.prolongation, Prolongation::constant);
  EXPECT_EQ(first.stages, 1);
  EXPECT_EQ(first.stage_blocks, 0);
  EXPECT_TRUE(first.conservative);
  const auto second = euler::make_solver(dim, parameters, {.scheme = "muscl"});
  EXPECT_EQ(second->traits().name, "euler muscl mc");
  EXPECT_EQ(second->traits().halo, 2);
  EXPECT_EQ(second->traits().halo_shape, HaloShape::edges);
  EXPECT_EQ(second->traits().prolongation, Prolongation::limited_linear);
}

TEST_P(EulerSolver, ComputesDerivedQuantities) {
  // rho = 2, p = 3.2: c^2 = 1.6 * 3.2 / 2.
  const double u[3] = {3, -4, 12}, rho = 2, p = 3.2;
  std::vector<double> q{rho};
  double square = 0;
  for (int a = 0; a < dim; ++a) {
    q.push_back(rho * u[a]);
    square += u[a] * u[a];
  }
  q.push_back(p / (parameters.gamma - 1) + 0.5 * rho * square);
  std::map<std::string, double> values;
  const auto& derived = solver->derived();
  for (const Derived& quantity : derived)
    values[quantity.name] = quantity.value(solver->parameters(), q.data());
  for (std::size_t n = 0; n < q.size(); ++n) {
    EXPECT_EQ(derived[n].name, solver->traits().unknown_names[n]);
    EXPECT_EQ(values[derived[n].name], q[n]);
  }
  EXPECT_EQ(values["velocity_x"], 3);
  EXPECT_EQ(values["velocity_y"], -4);
  EXPECT_EQ(values.count("velocity_z"), dim == 3 ? 1u : 0u);
  if (dim == 3) {
    EXPECT_EQ(values["velocity_z"], 12);
  }
  EXPECT_NEAR(values["pressure"], p, 1e-13);
  EXPECT_NEAR(values["sound_speed"], 1.6, 1e-13);
  EXPECT_NEAR(values["mach"], std::sqrt(square) / 1.6, 1e-13);
  EXPECT_NEAR(values["temperature"], 1.6, 1e-13);
  EXPECT_NEAR(values["internal_energy"], 1.6 / 0.6, 1e-12);
  EXPECT_NEAR(values["entropy"], p / std::pow(rho, 1.6), 1e-13);
}

TEST_P(EulerSolver, ReflectsTheNormalMomentum) {
  for (int axis = 0; axis < dim; ++axis) {
    std::vector<double> signs(static_cast<std::size_t>(dim + 2), 7.0);
    solver->reflection_signs(axis, signs);
    for (int n = 0; n < dim + 2; ++n) EXPECT_EQ(signs[static_cast<std::size_t>(n)], n == 1 + axis ? -1 : 1);
  }
}

TEST_P(EulerSolver, AcceptsOnlyPositiveDensityAndPressure) {
  std::vector<double> q(static_cast<std::size_t>(dim + 2), 0.1);
  q.front() = 1;
  q.back() = 1;
  EXPECT_TRUE(solver->admissible(q.data()));
  for (std::size_t n = 0; n < q.size(); ++n) {
    auto bad = q;
    bad[n] = std::nan("");
    EXPECT_FALSE(solver->admissible(bad.data())) << n;
  }
  auto bad = q;
  bad.front() = 0;
  EXPECT_FALSE(solver->admissible(bad.data()));
  bad = q;
  bad.back() = 0.005 * dim;  // all of the energy is kinetic
  EXPECT_FALSE(solver->admissible(bad.data()));
}

// Whether a solver continues a state by steps along its axes.
bool continues(const Solver& solver, const std::vector<double>& own,
               const std::vector<std::vector<double>>& steps) {
  std::vector<double> spread(own.size());
  std::vector<const double*> along;
  for (const auto& step : steps) {
    along.push_back(step.data());
    for (std::size_t n = 0; n < own.size(); ++n) spread[n] += std::abs(step[n]);
  }
  return solver.continues(own.data(), along.data(), spread.data());
}

// States that may be used are admissible and keep a part of the mass.
TEST_P(EulerSolver, ContinuesStatesThatKeepMass) {
  for (const bool dual_energy : {false, true}) {
    parameters.dual_energy = dual_energy;
    solver = euler::make_solver(dim, parameters);
    const auto n = static_cast<std::size_t>(solver->traits().unknowns), d = static_cast<std::size_t>(dim);
    std::mt19937 random(17);
    std::uniform_real_distribution<double> dice(-1, 1);
    int used = 0, refused = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      std::vector<double> q(n), corner(n);
      double kinetic = 0;
      q[0] = std::exp(2 * dice(random));
      for (std::size_t u = 1; u <= d; ++u) {
        q[u] = dice(random);
        kinetic += 0.5 * q[u] * q[u] / q[0];
      }
      q[d + 1] = kinetic + std::exp(3 * dice(random) - 2);
      solver->complete(q.data());
      const double size = std::exp(3 * dice(random) - 3);
      std::vector<std::vector<double>> steps(d, std::vector<double>(n));
      for (auto& step : steps)
        for (double& s : step) s = size * dice(random);
      const bool uses = continues(*solver, q, steps);
      ++(uses ? used : refused);
      for (int k = 0; uses && k < (1 << dim); ++k) {
        corner = q;
        for (std::size_t a = 0; a < d; ++a)
          for (std::size_t u = 0; u < n; ++u) corner[u] += ((k >> a) & 1 ? 1 : -1) * steps[a][u];
        ASSERT_TRUE(solver->admissible(corner.data()));
        ASSERT_GE(corner[0], 0.25 * q[0]);
      }
    }
    EXPECT_GT(used, 1000);
    EXPECT_GT(refused, 1000);
  }
}

// A continuation that is almost empty, with the momentum and energy of its volume, would be without bound in its speed.
TEST_P(EulerSolver, ContinuesNoStateIntoAVacuum) {
  for (const bool dual_energy : {false, true}) {
    parameters.dual_energy = dual_energy;
    solver = euler::make_solver(dim, parameters);
    std::vector<double> q(static_cast<std::size_t>(solver->traits().unknowns));
    q[0] = 5.9e-4;
    q[1] = -31 * q[0];
    q[static_cast<std::size_t>(dim) + 1] = 1.7;
    solver->complete(q.data());
    std::vector<std::vector<double>> steps(static_cast<std::size_t>(dim), std::vector<double>(q.size()));
    EXPECT_TRUE(continues(*solver, q, steps));
    steps.back()[0] = 0.5 * q[0];
    EXPECT_TRUE(continues(*solver, q, steps)) << dual_energy;
    steps.front()[0] = 0.26 * q[0];
    EXPECT_FALSE(continues(*solver, q, steps)) << dual_energy;
  }
}

TEST_P(EulerSolver, LimitsTheStepByGravityAndExpansion) {
  EXPECT_EQ(solver->step_limit(-1.0, 0.1), std::numeric_limits<double>::infinity());
  auto* gravity = static_cast<euler::Gravity*>(solver->step_data());
  gravity->radial = true;
  EXPECT_EQ(gravity->dim, dim);
  EXPECT_DOUBLE_EQ(solver->step_limit(-2.0, 0.1), 0.01);
  gravity->g_max = 1e6;
  EXPECT_DOUBLE_EQ(solver->step_limit(-2.0, 0.01), 0.5 * 1e-4);
}

template <int D>
void expect_the_table() {
  euler::Gravity gravity;
  gravity.radial = true;
  gravity.dim = D;
  gravity.bins = 4;
  gravity.dr = 0.25;
  gravity.strength = 1.5;
  for (int i = 0; i <= 4; ++i) gravity.table[i] = 10.0 - i;
  gravity.excess_total = 6.0;
  for (int a = 0; a < D; ++a) gravity.centre[a] = 0.5;
  const auto pull = [&](double r) {
    if (r <= 1.0) return 1.5 * (10.0 - r / 0.25);
    return 1.5 * 6.0 / std::pow(r, D);
  };
  for (const double r : {0.0, 0.1, 0.25, 0.3, 0.99, 1.0, 1.01, 3.0}) {
    for (int along = 0; along < D; ++along) {
      for (const double side : {-1.0, 1.0}) {
        double x[D], g[D];
        Pack packed[D], packed_g[D];
        for (int a = 0; a < D; ++a) {
          x[a] = 0.5 + (a == along ? side * r : 0);
          packed[a] = Pack(x[a]);
        }
        euler::acceleration<D>(gravity, x, g);
        euler::acceleration<D>(gravity, packed, packed_g);
        for (int a = 0; a < D; ++a) {
          EXPECT_NEAR(g[a], a == along ? -side * r * pull(r) : 0, 1e-13) << r;
          EXPECT_EQ(largest(packed_g[a]), g[a]);
        }
      }
    }
  }
}

TEST(Acceleration, InterpolatesAndFallsOffBeyondTheTable) {
  expect_the_table<2>();
  expect_the_table<3>();
}

}  // namespace
}  // namespace meander::solvers::test
