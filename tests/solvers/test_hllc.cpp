// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The HLLC flux against Toro's form of it, and its characteristic properties: contacts, symmetry, positivity.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "physics/euler/terms.hpp"

namespace meander::euler {
namespace {

constexpr int D = 3, N = D + 2;
using State = std::array<double, N>;  // conserved
using Gas = Terms<D>;

const Gas gas = [] {
  Parameters parameters;
  parameters.gamma = 1.4;
  return Gas(parameters);
}();

State state(double density, std::array<double, D> u, double pressure) {
  const double w[N] = {density, u[0], u[1], u[2], pressure};
  State q;
  gas.conserved(w, q.data());
  return q;
}

State primitive(const State& q) {
  State w;
  gas.primitive(q.data(), w.data());
  return w;
}

template <class Flux>
State flux(const State& l, const State& r, int axis) {
  double al[N], ar[N], face[1][N];
  gas.auxiliary(l.data(), al);
  gas.auxiliary(r.data(), ar);
  Flux::through(gas, l.data(), al, r.data(), ar, axis, face);
  State f;
  for (int n = 0; n < N; ++n) f[static_cast<std::size_t>(n)] = 0.5 * face[0][n];
  return f;
}

// F + S (U* - U) with the speeds of the header (Toro 2009, equations 10.70 to 10.73), by branches.
State textbook(const State& l, const State& r, int axis) {
  const State wl = primitive(l), wr = primitive(r);
  const auto n = static_cast<std::size_t>(1 + axis);
  const double cl = std::sqrt(1.4 * wl[4] / wl[0]), cr = std::sqrt(1.4 * wr[4] / wr[0]);
  const double sl = std::min(wl[n] - cl, wr[n] - cr), sr = std::max(wl[n] + cl, wr[n] + cr);
  const double contact = (wr[4] - wl[4] + wl[0] * wl[n] * (sl - wl[n]) - wr[0] * wr[n] * (sr - wr[n])) /
                         (wl[0] * (sl - wl[n]) - wr[0] * (sr - wr[n]));
  const auto side = [&](const State& q, const State& w, double s) {
    double a[N];
    State f;
    gas.auxiliary(q.data(), a);
    gas.flux(q.data(), a, axis, f.data());
    if ((s == sl && sl >= 0) || (s == sr && sr <= 0)) return f;
    const double factor = w[0] * (s - w[n]) / (s - contact);
    State star = {factor, factor * w[1], factor * w[2], factor * w[3], 0};
    star[n] = factor * contact;
    star[4] = factor * (q[4] / w[0] + (contact - w[n]) * (contact + w[4] / (w[0] * (s - w[n]))));
    for (std::size_t i = 0; i < N; ++i) f[i] += s * (star[i] - q[i]);
    return f;
  };
  if (sl >= 0 || (sr > 0 && contact >= 0)) return side(l, wl, sl);
  return side(r, wr, sr);
}

State random_state(std::mt19937& engine, double spread) {
  std::uniform_real_distribution<double> draw(-1, 1);
  return state(std::exp(spread * draw(engine)), {2 * draw(engine), 2 * draw(engine), 2 * draw(engine)},
               std::exp(spread * draw(engine)));
}

TEST(Hllc, AgreesWithTorosForm) {
  std::mt19937 engine(1);
  for (int round = 0; round < 20000; ++round) {
    const State l = random_state(engine, 2), r = random_state(engine, 2);
    for (int axis = 0; axis < D; ++axis) {
      const State found = flux<Hllc>(l, r, axis), expected = textbook(l, r, axis);
      double scale = 0;
      for (const double value : expected) scale = std::max(scale, std::abs(value));
      for (std::size_t n = 0; n < N; ++n)
        ASSERT_NEAR(found[n], expected[n], 1e-12 * scale) << round << ' ' << n;
    }
  }
}

TEST(Hllc, IsConsistentWithTheFluxOfTheEquation) {
  std::mt19937 engine(2);
  for (int round = 0; round < 1000; ++round) {
    const State q = random_state(engine, 2);
    double a[N];
    State f;
    gas.auxiliary(q.data(), a);
    gas.flux(q.data(), a, 0, f.data());
    const State found = flux<Hllc>(q, q, 0);
    for (std::size_t n = 0; n < N; ++n) EXPECT_NEAR(found[n], f[n], 1e-13 * (1 + std::abs(f[n])));
  }
}

TEST(Hllc, StationaryContactHasOnlyThePressureFlux) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> draw(-3, 3);
  for (int round = 0; round < 1000; ++round) {
    const double pressure = std::exp(draw(engine)), slip = draw(engine);
    // Both sides have bitwise equal energies, so equal pressures; shear may differ.
    State l = state(std::exp(draw(engine)), {0, 0, 0}, pressure), r = l;
    r[0] = std::exp(draw(engine));
    const State f = flux<Hllc>(l, r, 0);
    EXPECT_EQ(f[0], 0);
    EXPECT_EQ(f[1], primitive(l)[4]);
    EXPECT_EQ(f[4], 0);
    l[2] = slip * l[0];
    l[4] += 0.5 * slip * slip * l[0];
    EXPECT_NEAR(flux<Hllc>(l, r, 0)[2], 0, 1e-15 * l[4]);
  }
}

TEST(Hllc, MirroredStatesHaveBitwiseMirroredFluxes) {
  std::mt19937 engine(4);
  for (int round = 0; round < 5000; ++round) {
    State l = random_state(engine, 2), r = round % 7 == 0 ? l : random_state(engine, 2);
    if (round % 5 == 0) l[1] = r[1] = 0;
    State ml = r, mr = l;
    ml[1] = -r[1];
    mr[1] = -l[1];
    const State f = flux<Hllc>(l, r, 0), mirrored = flux<Hllc>(ml, mr, 0);
    for (std::size_t n = 0; n < N; ++n)
      EXPECT_EQ(f[n], n == 1 ? mirrored[n] : -mirrored[n]) << round << ' ' << n;
  }
}

// A volume between two others, updated with the largest stable step.
template <class Flux>
bool stays_positive(const State& l, const State& q, const State& r) {
  double rate = 0;
  for (const State& one : {l, q, r}) {
    double a[N];
    gas.auxiliary(one.data(), a);
    rate = std::max(rate, gas.max_eigenvalue(one.data(), a, 0));
  }
  const State in = flux<Flux>(l, q, 0), out = flux<Flux>(q, r, 0);
  State next = q;
  for (std::size_t n = 0; n < N; ++n) next[n] -= 0.5 / rate * (out[n] - in[n]);
  return gas.admissible(next.data());
}

TEST(Hllc, KeepsDensityAndPressurePositiveAsRusanovDoes) {
  std::mt19937 engine(5);
  for (int round = 0; round < 50000; ++round) {
    const State l = random_state(engine, 8), q = random_state(engine, 8), r = random_state(engine, 8);
    ASSERT_TRUE(stays_positive<solvers::RusanovFlux>(l, q, r)) << round;
    ASSERT_TRUE(stays_positive<Hllc>(l, q, r)) << round;
  }
  // Two rarefactions with a vacuum between them: the speeds exceed 2 c / (gamma - 1).
  for (const double speed : {1.0, 5.0, 6.0, 20.0, 100.0}) {
    const State l = state(1, {-speed, 0, 0}, 1), r = state(1, {speed, 0, 0}, 1);
    EXPECT_TRUE(stays_positive<Hllc>(l, l, r)) << speed;
    EXPECT_TRUE(stays_positive<Hllc>(l, r, r)) << speed;
  }
}

}  // namespace
}  // namespace meander::euler
