// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The rates of CCZ4 against an independent implementation of the same equations, on data that violate the
// constraints, where every term contributes; and algebraic properties of the terms.

#include <gtest/gtest.h>

#include "physics/ccz4/constraints.hpp"
#include "solvers/pack.hpp"
#include "tests/reference/ccz4_by_tensors.hpp"
#include "tests/solvers/ccz4_states.hpp"

namespace meander::ccz4 {
namespace {

static_assert(Pde<Terms> && Floored<Terms> && FusedRhs<Terms>);

TEST(Ccz4Terms, AgreeWithFullTensorLoops) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int n = 0; n < 400; ++n) {
    Parameters p;
    p.slicing = n % 2 == 0 ? Slicing::one_plus_log : Slicing::harmonic;
    p.evolves_shift = n / 2 % 2 == 0;
    p.c = n / 4 % 2;
    p.damps_with_lapse = n / 8 % 2 == 0;
    p.k1 = 0.4, p.k2 = -0.3, p.k3 = n % 3 == 0 ? 1.0 : 0.5, p.tau = 0.7, p.eta = 1.3, p.f = 0.6, p.e = 1.3,
    p.mu = 0.3, p.ordering = 0;
    double q[unknowns], gradient[3 * unknowns], rate[unknowns];
    test::random_state(engine, q);
    for (double& d : gradient) d = draw(engine);
    if (n % 5 == 0) {  // also without the algebraic constraints
      for (int m = 0; m < at::Theta; ++m) q[m] += 0.05 * draw(engine);
    }
    for (int k = 0; k < 3; ++k) {
      gradient[k * unknowns + at::a] = q[at::A + k];
      gradient[k * unknowns + at::phi] = q[at::P + k];
    }
    Terms{p}.rates(q, gradient, rate);
    long double expected[unknowns];
    const reference::ByTensors tensors(p, q, gradient);
    tensors.rates(expected);
    if (n % 7 == 0) {  // the paper does not damp these
      p.ordering = 0.8;
      const Fields<const double> x{q};
      for (int k = 0; k < 3; ++k) {
        const Fields<const double> d{gradient + k * unknowns};
        for (int i = 0; i < 3; ++i) {
          if (p.evolves_shift) expected[at::B + 3 * k + i] += p.ordering * (d.beta(i) - x.B(k, i));
          for (int j = i; j < 3; ++j)
            expected[at::D + 6 * k + pair(i, j)] += p.ordering * (d.g(i, j) / 2 - x.D(k, i, j));
        }
      }
      Terms{p}.rates(q, gradient, rate);
    }
    const Constraints<double> c = constraints(q, gradient);
    EXPECT_NEAR(c.hamiltonian, static_cast<double>(tensors.hamiltonian()),
                1e-12 * (1 + std::abs(c.hamiltonian)));
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(c.momentum[i], static_cast<double>(tensors.momentum(i)),
                  1e-12 * (1 + std::abs(c.momentum[i])));
    for (int m = 0; m < unknowns; ++m) {
      ASSERT_NEAR(rate[m], static_cast<double>(expected[m]),
                  1e-12 * (1 + std::abs(static_cast<double>(expected[m]))))
          << "unknown " << m << ", sample " << n;
    }
  }
}

TEST(Ccz4Terms, PacksAreBitwiseEqualToScalars) {
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> draw(-1, 1);
  constexpr int W = Pack::size;
  alignas(64) double q[unknowns][W], gradient[3 * unknowns][W];
  for (int lane = 0; lane < W; ++lane) {
    double one[unknowns];
    test::random_state(engine, one);
    for (int n = 0; n < unknowns; ++n) q[n][lane] = one[n];
    for (auto& d : gradient) d[lane] = draw(engine);
  }
  for (const bool shift : {false, true}) {
    Terms terms;
    terms.parameters.evolves_shift = shift;
    Pack packed[unknowns], slope[3 * unknowns], rate[unknowns];
    for (int n = 0; n < unknowns; ++n) packed[n] = load<Pack>(q[n]);
    for (int n = 0; n < 3 * unknowns; ++n) slope[n] = load<Pack>(gradient[n]);
    terms.rates(packed, slope, rate);
    terms.enforce(packed);
    for (int lane = 0; lane < W; ++lane) {
      double one[unknowns], d[3 * unknowns], expected[unknowns];
      for (int n = 0; n < unknowns; ++n) one[n] = q[n][lane];
      for (int n = 0; n < 3 * unknowns; ++n) d[n] = gradient[n][lane];
      terms.rates(one, d, expected);
      terms.enforce(one);
      for (int n = 0; n < unknowns; ++n) {
        ASSERT_EQ(rate[n].lanes.get(static_cast<std::size_t>(lane)), expected[n]);
        ASSERT_EQ(packed[n].lanes.get(static_cast<std::size_t>(lane)), one[n]);
      }
    }
  }
}

TEST(Ccz4Terms, ConstraintsAndFloorsAreEnforced) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int n = 0; n < 200; ++n) {
    double q[unknowns];
    test::random_state(engine, q);
    for (int m = 0; m < at::Theta; ++m) q[m] *= 1.1;  // det 1.33
    q[at::g] += 0.1 * draw(engine);
    const bool low = n % 2 == 0;
    if (low) q[n % 4 == 0 ? at::a : at::phi] = -0.1;
    Terms terms;
    EXPECT_EQ(terms.enforce(q), low);
    EXPECT_GE(q[at::a], terms.parameters.lapse_floor);
    EXPECT_GE(q[at::phi], terms.parameters.phi_floor);
    const Fields<const double> x{q};
    Symmetric<double> inverse;
    EXPECT_NEAR(determinant(x, inverse), 1.0, 4e-15);
    EXPECT_NEAR(trace(inverse, symmetric(&x.At(0, 0))), 0.0, 1e-14);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(trace(inverse, symmetric(&x.D(k, 0, 0))), 0.0, 1e-14);
    EXPECT_TRUE(terms.admissible(q));
  }
}

TEST(Ccz4Terms, InadmissibleStatesStayInadmissible) {
  std::mt19937 engine(6);
  double good[unknowns];
  test::random_state(engine, good);
  const Terms terms;
  ASSERT_TRUE(terms.admissible(good));
  for (int n = 0; n < unknowns; ++n) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      double q[unknowns];
      std::copy(good, good + unknowns, q);
      q[n] = bad;
      EXPECT_FALSE(terms.admissible(q)) << n;
      terms.enforce(q);
      EXPECT_FALSE(terms.admissible(q)) << n;
    }
  }
  for (int m = 0; m < 6; ++m) good[m] *= 1.4;  // det g~ = 2.7
  EXPECT_FALSE(terms.admissible(good));
  terms.enforce(good);
  EXPECT_FALSE(terms.admissible(good));
}

TEST(Ccz4Terms, FlatSpaceIsStationaryBitwise) {
  for (const bool shift : {false, true}) {
    Terms terms;
    terms.parameters.evolves_shift = shift;
    double q[unknowns] = {}, gradient[3 * unknowns] = {}, rate[unknowns];
    q[at::g] = q[at::g + 3] = q[at::g + 5] = q[at::a] = q[at::phi] = 1.0;
    double enforced[unknowns];
    std::copy(q, q + unknowns, enforced);
    EXPECT_FALSE(terms.enforce(enforced));
    terms.rates(q, gradient, rate);
    for (int n = 0; n < unknowns; ++n) {
      EXPECT_EQ(rate[n], 0.0) << n;
      EXPECT_EQ(enforced[n], q[n]) << n;
    }
  }
}

}  // namespace
}  // namespace meander::ccz4
