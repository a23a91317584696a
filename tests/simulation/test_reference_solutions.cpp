// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The exact solutions of other tests, against published figures and identities.

#include <gtest/gtest.h>

#include <cmath>

#include "physics/euler/scenarios/accretion.hpp"
#include "physics/euler/scenarios/riemann_2d.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/reference/sedov_similarity.hpp"
#include "tests/reference/spherical_collapse.hpp"
#include "tests/reference/vortex.hpp"

namespace meander {
namespace {

using reference::ExactRiemann;
using reference::Gas1d;

TEST(ExactRiemann, GivesToroStarStates) {
  // Toro 2009, tables 4.1 and 4.2 (gamma = 1.4).
  const struct {
    Gas1d left, right;
    double pressure, velocity;
  } tests[] = {
      {{1, 0, 1}, {0.125, 0, 0.1}, 0.30313, 0.92745},
      {{1, -2, 0.4}, {1, 2, 0.4}, 0.00189, 0.0},
      {{1, 0, 1000}, {1, 0, 0.01}, 460.894, 19.5975},
      {{1, 0, 0.01}, {1, 0, 100}, 46.0950, -6.19633},
      {{5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 1691.64, 8.68975},
  };
  for (const auto& test : tests) {
    const ExactRiemann exact(test.left, test.right, 1.4);
    EXPECT_NEAR(exact.star_pressure(), test.pressure, 1e-5 + 1e-5 * test.pressure);
    EXPECT_NEAR(exact.star_velocity(), test.velocity, 1e-5 + 1e-5 * std::abs(test.velocity));
  }
}

TEST(ExactRiemann, ConservesMassMomentumAndEnergy) {
  // The change in [-L, L] until t = 1 equals the flux of the far states through its ends.
  const double gamma = 1.4, reach = 3;
  for (const auto& [left, right] : {std::pair<Gas1d, Gas1d>{{1, 0, 1}, {0.125, 0, 0.1}},
                                    {{0.5, -0.3, 0.2}, {1.5, 0.1, 2.0}},
                                    {{1, 1, 1}, {1, -1, 1}}}) {
    const ExactRiemann exact(left, right, gamma);
    const auto unknowns = [&](const Gas1d& g) {
      return std::array<double, 3>{g.density, g.density * g.velocity,
                                   g.pressure / (gamma - 1) + 0.5 * g.density * g.velocity * g.velocity};
    };
    const auto flux = [&](const Gas1d& g) {
      const auto u = unknowns(g);
      return std::array<double, 3>{u[1], u[1] * g.velocity + g.pressure, (u[2] + g.pressure) * g.velocity};
    };
    constexpr int n = 400000;
    std::array<double, 3> sum{};
    for (int i = 0; i < n; ++i) {
      const auto u = unknowns(exact.at(-reach + 2 * reach * (i + 0.5) / n));
      for (std::size_t k = 0; k < 3; ++k) sum[k] += u[k] * 2 * reach / n;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected =
          reach * (unknowns(left)[k] + unknowns(right)[k]) + flux(left)[k] - flux(right)[k];
      EXPECT_NEAR(sum[k], expected, 1e-4);
    }
  }
}

TEST(ExactRiemann, IsSymmetricUnderReflection) {
  const Gas1d left{1, 0.3, 1}, right{0.125, -0.1, 0.1};
  const ExactRiemann exact(left, right, 1.4), mirrored({0.125, 0.1, 0.1}, {1, -0.3, 1}, 1.4);
  for (double s = -2.0137; s < 2; s += 0.01) {
    EXPECT_NEAR(exact.at(s).density, mirrored.at(-s).density, 1e-12);
    EXPECT_NEAR(exact.at(s).velocity, -mirrored.at(-s).velocity, 1e-12);
    EXPECT_NEAR(exact.at(s).pressure, mirrored.at(-s).pressure, 1e-12);
  }
}

// Neighbouring quadrants of Lax & Liu's configurations are separated by one wave each: star pressure and
// velocity equal those of one side, or both sides have the same pressure and normal velocity.
TEST(RiemannConfigurations, HaveOneWaveBetweenNeighbours) {
  for (const auto& configuration : euler::riemann_configurations()) {
    SCOPED_TRACE(configuration.number);
    const auto& q = configuration.quadrant;
    const struct { int lower, upper, axis; } borders[] = {{1, 0, 0}, {2, 3, 0}, {2, 1, 1}, {3, 0, 1}};
    for (const auto& border : borders) {
      const auto &a = q[border.lower], &b = q[border.upper];
      const Gas1d left{a.density, a.velocity[border.axis], a.pressure};
      const Gas1d right{b.density, b.velocity[border.axis], b.pressure};
      const ExactRiemann exact(left, right, 1.4);
      const auto near = [&](const Gas1d& side) {
        return std::abs(exact.star_pressure() / side.pressure - 1) < 2e-3 &&
               std::abs(exact.star_velocity() - side.velocity) < 2e-3;
      };
      EXPECT_TRUE(near(left) || near(right)) << "border " << border.lower << "-" << border.upper;
      const Gas1d& star = near(left) ? left : right;
      // Across the other wave nothing but the density of a contact may remain.
      if (near(left) && near(right)) continue;
      const double density = near(left) ? exact.at(exact.star_velocity() + 1e-9).density
                                        : exact.at(exact.star_velocity() - 1e-9).density;
      EXPECT_NEAR(density, star.density, 2e-3 * star.density);
    }
  }
}

TEST(SedovSimilarity, HasTheKnownEnergyIntegrals) {
  // Kamm & Timmes 2007, gamma = 1.4: a shock at radius 1 for E = 0.851072 (spherical), and at 0.75, as they
  // round it, for E = 0.311357 (cylindrical), each at t = 1.
  EXPECT_NEAR(reference::SedovSimilarity(3, 1.4).alpha(), 0.851072, 1e-6);
  EXPECT_NEAR(reference::SedovSimilarity(2, 1.4).shock_radius(0.311357, 1, 1), 0.75, 1e-5);
}

TEST(SedovSimilarity, SweepsUpAllMass) {
  for (const int dim : {2, 3}) {
    for (const double gamma : {1.2, 1.4, 5.0 / 3.0})
      EXPECT_NEAR(reference::SedovSimilarity(dim, gamma).mass(), 1, 1e-6);
  }
}

class TurnaroundFormula : public testing::TestWithParam<int> {};

TEST_P(TurnaroundFormula, AgreesWithShellsInFall) {
  const int dim = GetParam();
  const double a_i = 1e-4, excess = 2e-4;
  for (const double q : {0.6, 0.8, 1.0}) {
    const auto shell = reference::turnaround_of_shell(dim, excess, a_i, q);
    const double formula = euler::turnaround_formula(dim, excess, a_i, shell.scale_factor);
    EXPECT_NEAR(shell.radius / formula, 1, 2e-3) << "a = " << shell.scale_factor;
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, TurnaroundFormula, testing::Values(2, 3));

TEST(TurnaroundFormula, GivesThePublishedRadius) {
  const double excess = 0.2 * 4 * std::numbers::pi / 3 * std::pow(0.08, 3);
  EXPECT_NEAR(euler::turnaround_formula(3, excess, 1e-3, 8), 0.4368, 5e-5);
}

// The vortex is steady in the frame of the flow: div(rho v) = 0 and rho (v . grad) v + grad p = 0.
TEST(Vortex, SolvesTheEulerEquations) {
  const reference::Vortex vortex{.radius = 0.1, .swirl = 0.8, .velocity = {0, 0}};
  const double h = 1e-5;
  for (double x = -0.25; x < 0.3; x += 0.05) {
    for (double y = -0.22; y < 0.3; y += 0.05) {
      const auto state = vortex.at(x, y, 0);
      const auto xl = vortex.at(x - h, y, 0), xr = vortex.at(x + h, y, 0);
      const auto yl = vortex.at(x, y - h, 0), yr = vortex.at(x, y + h, 0);
      const auto along_x = [&](auto f) { return (f(xr) - f(xl)) / (2 * h); };
      const auto along_y = [&](auto f) { return (f(yr) - f(yl)) / (2 * h); };
      const auto momentum = [](int d) {
        return [d](const euler::GasState& g) { return g.density * g.velocity[d]; };
      };
      const auto velocity = [](int d) { return [d](const euler::GasState& g) { return g.velocity[d]; }; };
      const auto pressure = [](const euler::GasState& g) { return g.pressure; };
      EXPECT_NEAR(along_x(momentum(0)) + along_y(momentum(1)), 0, 1e-6);
      EXPECT_NEAR(state.density * (state.velocity[0] * along_x(velocity(0)) +
                                   state.velocity[1] * along_y(velocity(0))) +
                      along_x(pressure),
                  0, 1e-6);
      EXPECT_NEAR(state.density * (state.velocity[0] * along_x(velocity(1)) +
                                   state.velocity[1] * along_y(velocity(1))) +
                      along_y(pressure),
                  0, 1e-6);
      EXPECT_NEAR(state.pressure / std::pow(state.density, vortex.gamma), 1, 1e-12);
    }
  }
}

TEST(Vortex, ReturnsAfterOnePeriod) {
  const reference::Vortex vortex{.velocity = {1, 2}};
  for (double x = 0; x < 2; x += 0.1) {
    const auto before = vortex.at(x, 0.3 * x, 0), after = vortex.at(x, 0.3 * x, 2);
    EXPECT_NEAR(before.density, after.density, 1e-12);
    EXPECT_NEAR(before.velocity[0], after.velocity[0], 1e-12);
  }
}

}  // namespace
}  // namespace meander
