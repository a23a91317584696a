// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Gravity in time: order against homologous collapses and expansions, whose solutions are exact, and the field in the
// halo.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "physics/euler/kick.hpp"
#include "physics/euler/solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

using Gravity = euler::Gravity;

// Gas of uniform density and pressure that moves with v = u(t) (x - c) under g = -w(t) (x - c): each volume at
// x - c = R(t) (x_0 - c), with R'' = -w(t) R.
struct Homologous {
  int dim;
  std::function<void(double t, Gravity& gravity)> set;  // strength G and its rate at time t
  double begin, end;
  double scale, u_begin, u_end;  // R(end) / R(begin); u = R' / R
};

struct Errors {
  double density, velocity;
};

// On p volumes along an axis, in 2 p steps.
Errors evolve(const Homologous& flow, int p) {
  constexpr double centre = 0.5, gamma = 5.0 / 3;
  const double dx = 1.0 / p;
  const int dim = flow.dim;
  const auto solver = euler::make_solver(dim, {.gamma = gamma}, {.scheme = "muscl", .riemann = "hllc"});
  auto& gravity = *static_cast<Gravity*>(solver->step_data());
  gravity.radial = true;
  gravity.dim = dim;
  gravity.bins = 1;
  gravity.dr = 2;
  for (double& c : gravity.centre) c = centre;
  const PatchLayout layout(dim, p, 2, dim + 2);
  Patch patch(layout);
  const auto fill = [&](int reach, double rho, double u, double pressure) {
    for_volumes(layout, reach, [&](int i, int j, int k) {
      if (axes_outside(layout, i, j, k) == 0 && reach > 0) return;
      const int at[3] = {i, j, k};
      double kinetic = 0;
      for (int a = 0; a < dim; ++a) {
        const double v = u * ((at[a] + 0.5) * dx - centre);
        patch.at(1 + a, i, j, k) = rho * v;
        kinetic += 0.5 * rho * v * v;
      }
      patch.at(0, i, j, k) = rho;
      patch.at(1 + dim, i, j, k) = pressure / (gamma - 1) + kinetic;
    });
  };
  const int middle = dim == 3 ? p / 2 : 0;
  const auto velocity = [&] {
    return patch.at(1, p - 1, p / 2, middle) / patch.at(0, p - 1, p / 2, middle) / (0.5 - 0.5 * dx);
  };
  fill(0, 1, flow.u_begin, 0.1);
  const int steps = 2 * p;
  const double dt = (flow.end - flow.begin) / steps;
  for (int step = 0; step < steps; ++step) {
    const double t = flow.begin + step * dt;
    // The middle volume is at rest: its energy is thermal. The halo continues the flow.
    const double pressure = (gamma - 1) * patch.at(1 + dim, p / 2, p / 2, middle);
    fill(2, patch.at(0, p / 2, p / 2, middle), velocity(), pressure);
    flow.set(t, gravity);
    PatchStatus status;
    const PatchTask task = patch.task(dx);
    solver->update({&task, 1}, layout, 0, t, dt, {&status, 1});
    EXPECT_TRUE(status.admissible);
  }
  const double exact = std::pow(flow.scale, -dim);
  return {patch.at(0, p / 2, p / 2, middle) / exact - 1, velocity() - flow.u_end};
}

void expect_second_order(const Homologous& flow) {
  Errors coarse = evolve(flow, 9);
  for (const int p : {27, 81}) {
    if (flow.dim == 3 && p > 27) break;
    const Errors fine = evolve(flow, p);
    const double orders[] = {std::log(coarse.density / fine.density) / std::log(3),
                             std::log(coarse.velocity / fine.velocity) / std::log(3)};
    std::printf("%dD, p = %d: errors %+.2e %+.2e, orders %.2f %.2f\n", flow.dim, p, fine.density,
                fine.velocity, orders[0], orders[1]);
    for (const double order : orders) EXPECT_GT(order, 1.8);
    coarse = fine;
  }
}

void set_field(Gravity& gravity, double strength, double strength_rate, double table, double table_rate) {
  gravity.strength = strength;
  gravity.strength_rate = strength_rate;
  for (int i = 0; i < 3; ++i) {
    gravity.table[i] = table;
    gravity.table_rate[i] = table_rate;
  }
}

class GravityOrderLong : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, GravityOrderLong, testing::Values(2, 3));

// R = cos(t).
TEST_P(GravityOrderLong, IsTwoInTheCollapseOfColdGasAtRest) {
  const double end = 0.8;
  expect_second_order({GetParam(), [](double, Gravity& gravity) { set_field(gravity, 0.5, 0, 2, 0); }, 0, end,
                       std::cos(end), 0, -std::tan(end)});
}

// R = t^(2/3) for w = 2 / (9 t^2), as strength 1 / t and table 2 / (9 t), in an Einstein-de Sitter universe.
TEST_P(GravityOrderLong, IsTwoInAFieldThatChanges) {
  const auto set = [](double t, Gravity& gravity) {
    set_field(gravity, 1 / t, -1 / (t * t), 2 / (9 * t), -2 / (9 * t * t));
  };
  expect_second_order({GetParam(), set, 1, 2, std::pow(2, 2.0 / 3), 2.0 / 3, 1.0 / 3});
}

// R = t^(1/3): half of the field by the one, half by the other rate.
TEST_P(GravityOrderLong, IsTwoByEitherRateAlone) {
  const auto strength = [](double t, Gravity& gravity) {
    set_field(gravity, 2 / (9 * t * t), -4 / (9 * t * t * t), 1, 0);
  };
  const auto table = [](double t, Gravity& gravity) {
    set_field(gravity, 1, 0, 2 / (9 * t * t), -4 / (9 * t * t * t));
  };
  const double third = 1.0 / 3;
  expect_second_order({GetParam(), strength, 1, 2, std::pow(2, third), third, third / 2});
  expect_second_order({GetParam(), table, 1, 2, std::pow(2, third), third, third / 2});
}

// Outside the table the field follows from the total and its rate.
TEST(Gravity, FollowsItsRatesInsideAndOutsideTheTable) {
  Gravity gravity;
  gravity.radial = true;
  gravity.dim = 3;
  gravity.bins = 2;
  gravity.dr = 1;
  set_field(gravity, 2, -0.5, 3, 4);
  gravity.excess_total = 5;
  gravity.excess_rate = 6;
  const double after = 0.25, strength = 2 - 0.5 * after;
  for (const double r : {0.3, 1.7, 4.0}) {
    const double x[3] = {r, 0, 0};
    double g[3];
    euler::acceleration_after<3>(gravity, after, x, g);
    EXPECT_DOUBLE_EQ(g[0], -strength * (r < 2 ? (3 + 4 * after) * r : (5 + 6 * after) / (r * r)));
  }
}

TEST(Gravity, InTheHaloIsThatOfTheImageInTheDomain) {
  Gravity gravity;
  gravity.radial = true;
  gravity.dim = 2;
  gravity.bins = 2;
  gravity.dr = 1;
  set_field(gravity, 1, 0, 1, 0);
  for (int a = 0; a < 2; ++a) {
    gravity.centre[a] = 0.3;
    gravity.upper[a] = 2;
  }
  using Beyond = Gravity::Beyond;
  gravity.beyond[0] = gravity.beyond[1] = Beyond::periodic;
  gravity.beyond[2] = Beyond::mirrored;
  const auto pull = [&](double x, double y) {
    const double at[2] = {x, y};
    double inside[2], sign[2], g[2];
    euler::fold<2>(gravity, at, inside, sign);
    euler::acceleration<2>(gravity, inside, g);
    return std::pair(sign[0] * g[0], sign[1] * g[1]);
  };
  EXPECT_EQ(pull(0.5, 0.75), std::pair(-(0.5 - 0.3), -(0.75 - 0.3)));
  EXPECT_EQ(pull(-0.25, 0.75), pull(1.75, 0.75));
  EXPECT_EQ(pull(2.25, 0.75), pull(0.25, 0.75));
  EXPECT_EQ(pull(0.5, -0.25), std::pair(pull(0.5, 0.25).first, -pull(0.5, 0.25).second));
  EXPECT_EQ(pull(0.5, 2.25).second, -(2.25 - 0.3)) << "as it is";
  EXPECT_EQ(pull(-0.25, -0.25), std::pair(pull(1.75, 0.25).first, -pull(1.75, 0.25).second));
}

using Kind = euler::ExternalGravity::Kind;

Gravity uniform_field(double x, double y, double z) {
  Gravity gravity;
  gravity.external = {Kind::uniform, {x, y, z}};
  return gravity;
}

Gravity field_of_a_mass(double mass, double softening) {
  Gravity gravity;
  gravity.external = {Kind::point, {0.25, 0.5, 0.75}, mass, softening * softening};
  return gravity;
}

TEST(ExternalGravity, IsUniformOrThatOfAMass) {
  const double x[3] = {0.65, 0.2, 0.75};  // (0.4, -0.3, 0) from the mass
  double g[3];
  euler::acceleration<3>(uniform_field(1, -2, 3), x, g);
  EXPECT_EQ(std::vector(g, g + 3), (std::vector{1.0, -2.0, 3.0}));
  for (const double softening : {0.0, 1.2}) {
    const double r = std::hypot(0.5, softening);
    euler::acceleration<3>(field_of_a_mass(7, softening), x, g);
    EXPECT_DOUBLE_EQ(g[0], -7 * 0.4 / (r * r * r));
    EXPECT_DOUBLE_EQ(g[1], 7 * 0.3 / (r * r * r));
    EXPECT_EQ(g[2], 0);
    euler::acceleration<2>(field_of_a_mass(7, softening), x, g);
    EXPECT_DOUBLE_EQ(g[0], -7 * 0.4 / (r * r));
    EXPECT_DOUBLE_EQ(g[1], 7 * 0.3 / (r * r));
  }
  euler::acceleration<3>(field_of_a_mass(7, 0.1), uniform_field(0.25, 0.5, 0.75).external.vector, g);
  EXPECT_EQ(std::vector(g, g + 3), (std::vector{0.0, 0.0, 0.0})) << "at the mass";
}

TEST(ExternalGravity, IsAddedToTheRadialField) {
  Gravity sum = field_of_a_mass(2, 0.3);
  sum.radial = true;
  sum.bins = 2;
  sum.dim = 3;
  set_field(sum, 1, -0.5, 3, 4);
  Gravity radial = sum;
  radial.external = {};
  const double x[3] = {0.4, 0.1, -0.3};
  double both[3], one[3], other[3];
  euler::acceleration_after<3>(sum, 0.1, x, both);
  euler::acceleration_after<3>(radial, 0.1, x, one);
  euler::acceleration<3>(field_of_a_mass(2, 0.3), x, other);
  for (int a = 0; a < 3; ++a) EXPECT_DOUBLE_EQ(both[a], one[a] + other[a]);
}

// Beyond a mirror, the field along its normal changes its sign; beyond periodic faces a mass repeats.
TEST(ExternalGravity, InTheHaloIsThatOfTheImageInTheDomain) {
  const auto pull = [](Gravity gravity, double x, double y) {
    for (int a = 0; a < 2; ++a) gravity.upper[a] = 1;
    gravity.beyond[0] = gravity.beyond[1] = Gravity::Beyond::periodic;
    gravity.beyond[2] = gravity.beyond[3] = Gravity::Beyond::mirrored;
    const double at[2] = {x, y};
    double first[2], kept[2];
    euler::Kick<2>(gravity, 0.1)
        .at(
            at, true, [](int) { return 0.0; }, first, kept);
    return std::pair(first[0], first[1]);
  };
  const Gravity uniform = uniform_field(2, -3, 0), point = field_of_a_mass(2, 0);
  EXPECT_EQ(pull(uniform, 0.5, 0.5), std::pair(2.0, -3.0));
  EXPECT_EQ(pull(uniform, -0.5, 0.5), std::pair(2.0, -3.0));
  EXPECT_EQ(pull(uniform, 1.5, -0.25), std::pair(2.0, 3.0));
  EXPECT_EQ(pull(uniform, 0.5, 1.25), std::pair(2.0, 3.0));
  EXPECT_EQ(pull(point, -0.25, 0.375), pull(point, 0.75, 0.375));
  EXPECT_EQ(pull(point, 1.75, 0.375), pull(point, 0.75, 0.375));
  const auto [along, across] = pull(point, 0.75, 0.375);
  EXPECT_GT(across, 0);
  EXPECT_EQ(pull(point, 0.75, -0.375), std::pair(along, -across));
}

TEST(ExternalGravity, LimitsStepsByTheLargestAccelerationAtAVolume) {
  for (const int dim : {2, 3}) {
    const auto solver = euler::make_solver(dim, {});
    auto& gravity = *static_cast<Gravity*>(solver->step_data());
    const auto most = [&](double dx) { return dx / std::pow(2 * solver->step_limit(-1e-9, dx), 2); };
    EXPECT_EQ(most(0.1), 0) << "without gravity, no limit; nor by expansion";
    gravity = uniform_field(2, 3, dim == 3 ? 6 : 0);
    EXPECT_DOUBLE_EQ(most(0.1), dim == 3 ? 7 : std::sqrt(13));
    for (const double softening : {0.0, 0.01, 0.3}) {
      gravity = field_of_a_mass(2, softening);
      for (double& upper : gravity.upper) upper = 1;
      if (softening == 0.01) gravity.external.vector[0] = -0.2;  // outside
      for (const int volumes : {6, 18}) {
        const double dx = 1.0 / volumes;
        double largest = 0;
        for (int i = 0; i < volumes; ++i) {
          for (int j = 0; j < volumes; ++j) {
            for (int k = 0; k < (dim == 3 ? volumes : 1); ++k) {
              const double x[3] = {(i + 0.5) * dx, (j + 0.5) * dx, (k + 0.5) * dx};
              double g[3] = {0, 0, 0};
              dim == 3 ? euler::acceleration<3>(gravity, x, g) : euler::acceleration<2>(gravity, x, g);
              largest = std::max(largest, std::hypot(g[0], g[1], g[2]));
            }
          }
        }
        EXPECT_GE(most(dx), largest * (1 - 1e-12));
        EXPECT_LE(most(dx), largest * (softening == 0.3 ? 1.1 : 1 + 1e-12)) << softening << ' ' << dx;
      }
    }
  }
}

}  // namespace
}  // namespace meander::solvers::test
