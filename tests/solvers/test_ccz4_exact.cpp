// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The rates of CCZ4 against known spacetimes. Unknowns, their derivatives in space and their rates in time
// are all exact (nested jets), so any wrong sign or factor in a non-vanishing term is detected.

#include <gtest/gtest.h>

#include <random>

#include "physics/ccz4/constraints.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/exact/punctures.hpp"
#include "physics/ccz4/terms.hpp"

namespace meander::ccz4 {
namespace {

using exact::Gauge;
using S = exact::Jet<double>;

struct Sample {
  double q[unknowns], gradient[3 * unknowns], rate[unknowns];  // rate: exact
};

template <class Metric>
Sample sample(const Metric& metric, const double (&at)[4], Slicing slicing, Gauge gauge) {
  S x[4], q[unknowns];
  for (int a = 0; a < 4; ++a) x[a] = S::coordinate(at[a], a);
  exact::from_metric(metric, x, slicing, gauge, q);
  Sample s;
  for (int n = 0; n < unknowns; ++n) {
    s.q[n] = q[n].value;
    s.rate[n] = q[n].d[0];
    for (int a = 0; a < 3; ++a) s.gradient[a * unknowns + n] = q[n].d[1 + a];
  }
  return s;
}

// Whether unknown n belongs to the gauge: lapse, shift, driver, A_k, B_k^i, K_0.
bool of_gauge(int n) {
  return (n >= at::a && n < at::D) || n == at::K0;
}

// The error relative to the largest derivative, as the rates are sums of products of derivatives.
template <class Metric>
void expect_exact(const Metric& metric, const Parameters& parameters, Gauge gauge, bool with_gauge,
                  double reach) {
  const Terms terms{parameters};
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> draw(-reach, reach);
  int taken = 0;
  double worst = 0;
  while (taken < 1000) {
    const double at[4] = {0.1 * draw(engine), draw(engine), draw(engine), draw(engine)};
    if (reach > 1 && at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < 2.0) continue;
    ++taken;
    const Sample s = sample(metric, at, parameters.slicing, gauge);
    double rate[unknowns], scale = 0;
    terms.rates(s.q, s.gradient, rate);
    for (const double d : s.gradient) scale = std::max(scale, std::abs(d));
    for (const double d : s.rate) scale = std::max(scale, std::abs(d));
    for (int n = 0; n < unknowns; ++n) {
      if (!with_gauge && of_gauge(n)) continue;
      const double error = std::abs(rate[n] - s.rate[n]) / scale;
      worst = std::max(worst, error);
      ASSERT_LE(error, 1e-11) << "unknown " << n << " at " << at[0] << ' ' << at[1] << ' ' << at[2] << ' '
                              << at[3] << ": " << rate[n] << " instead of " << s.rate[n];
    }
  }
  testing::Test::RecordProperty("worst", std::to_string(worst));
}

// k3, e and k1 differ from their defaults, so that no factor of one hides an error.
Parameters without_shift(Slicing slicing) {
  Parameters parameters;
  parameters.slicing = slicing;
  parameters.evolves_shift = false;
  parameters.k1 = 0.3;
  parameters.k2 = 0.2;
  parameters.e = 1.3;
  parameters.ordering = 0.7;
  return parameters;
}

TEST(Ccz4Exact, GaugeWave) {
  expect_exact(exact::GaugeWave{0.3, 1.0, false}, without_shift(Slicing::harmonic), Gauge::free, true, 1.0);
  expect_exact(exact::GaugeWave{0.3, 1.0, true}, without_shift(Slicing::harmonic), Gauge::free, true, 1.0);
}

TEST(Ccz4Exact, KerrSchildWithSpinIsStationary) {
  for (const Slicing slicing : {Slicing::one_plus_log, Slicing::harmonic})
    expect_exact(exact::KerrSchild{1.0, 0.9, 0.0}, without_shift(slicing), Gauge::still, true, 4.0);
}

TEST(Ccz4Exact, MovingHoles) {
  for (const double spin : {0.0, 0.9})
    expect_exact(exact::KerrSchild{1.0, spin, 0.54}, without_shift(Slicing::one_plus_log), Gauge::free, false,
                 4.0);
}

// The driver of the shift changes the rates of the gauge only.
TEST(Ccz4Exact, TheDriverChangesTheGaugeOnly) {
  Parameters parameters;
  for (const double k3 : {0.5, 1.0}) {
    parameters.k3 = k3;
    expect_exact(exact::KerrSchild{1.0, 0.9, 0.3}, parameters, Gauge::free, false, 4.0);
  }
}

template <class Metric>
void expect_constrained(const Metric& metric, double reach) {
  std::mt19937 engine(9);
  std::uniform_real_distribution<double> draw(-reach, reach);
  for (int taken = 0; taken < 200;) {
    const double at[4] = {0, draw(engine), draw(engine), draw(engine)};
    if (reach > 1 && at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < 2.0) continue;
    ++taken;
    const Sample s = sample(metric, at, Slicing::harmonic, Gauge::free);
    const Constraints<double> c = constraints(s.q, s.gradient);
    double scale = 0;
    for (const double d : s.gradient) scale = std::max(scale, std::abs(d));
    EXPECT_NEAR(c.hamiltonian / scale, 0.0, 1e-12);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(c.momentum[i] / scale, 0.0, 1e-12);
      EXPECT_NEAR(c.connection[i] / scale, 0.0, 1e-13);
      EXPECT_NEAR(c.lapse[i] / scale, 0.0, 1e-13);
      EXPECT_NEAR(c.phi[i] / scale, 0.0, 1e-13);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(c.shift[i][j] / scale, 0.0, 1e-13);
      for (const double d : c.metric[i].of) EXPECT_NEAR(d / scale, 0.0, 1e-13);
    }
  }
}

TEST(Ccz4Exact, ConstraintsVanish) {
  expect_constrained(exact::GaugeWave{0.3, 1.0, true}, 1.0);
  expect_constrained(exact::KerrSchild{1.0, 0.9, 0.4}, 4.0);
}

// The largest violation on a ring of points around the origin.
struct Violation {
  double hamiltonian = 0, momentum = 0;
};
Violation violation(const exact::Punctures& data) {
  std::mt19937 engine(15);
  std::uniform_real_distribution<double> draw(-3, 3);
  Violation worst;
  for (int taken = 0; taken < 100; ++taken) {
    S x[3], q[unknowns];
    for (int a = 0; a < 3; ++a) x[a] = S::coordinate(draw(engine), 1 + a);
    exact::from_data(data, x, q);
    double value[unknowns], gradient[3 * unknowns];
    for (int n = 0; n < unknowns; ++n) {
      value[n] = q[n].value;
      for (int a = 0; a < 3; ++a) gradient[a * unknowns + n] = q[n].d[1 + a];
    }
    const Constraints<double> c = constraints(value, gradient);
    worst.hamiltonian = std::max(worst.hamiltonian, std::abs(c.hamiltonian));
    for (const double m : c.momentum) worst.momentum = std::max(worst.momentum, std::abs(m));
    for (const double d : c.connection) EXPECT_NEAR(d, 0.0, 1e-13);
  }
  return worst;
}

TEST(Ccz4Exact, OnePunctureAtRestIsExact) {
  const Violation v = violation({{exact::Hole{}}});
  EXPECT_LE(v.hamiltonian, 1e-13);
  EXPECT_EQ(v.momentum, 0.0);
}

// Twice the momentum or spin gives sixteen times the violation.
TEST(Ccz4Exact, PuncturesSolveTheHamiltonianConstraintToSecondOrder) {
  for (const bool spins : {false, true}) {
    Violation v[2];
    for (int twice = 0; twice < 2; ++twice) {
      const double size = 0.01 * (1 + twice);
      exact::Hole hole{0.8, {0.1, -0.2, 0.3}, {}, {}};
      double(&vector)[3] = spins ? hole.spin : hole.momentum;
      vector[0] = 0.6 * size, vector[1] = -0.3 * size, vector[2] = 0.5 * size;
      v[twice] = violation({{hole}});
      EXPECT_LE(v[twice].momentum, 1e-13);
    }
    EXPECT_NEAR(v[1].hamiltonian / v[0].hamiltonian, 16.0, 0.5) << spins;
  }
}

}  // namespace
}  // namespace meander::ccz4
