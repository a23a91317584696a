// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A solver from only a flux and a wave speed: its device kernels are bitwise equal to its CPU kernels, its
// predictor is the quasi-linear form up to third order, and states that are not finite are inadmissible.

#include "solvers/pde_solver.hpp"

#include <gtest/gtest.h>

#include "solvers/conservation_law.hpp"
#include "solvers/pde_kernels_cpu.hpp"
#include "solvers/pde_kernels_serial.hpp"
#include "tests/solvers/block_batch.hpp"
#include "tests/solvers/every_scheme.hpp"

namespace meander::solvers::test {
namespace {

struct Speeds {
  double of[2] = {1, -2};
};

// Two coupled Burgers' equations; the second unknown changes sign under reflection.
template <int D>
struct Burgers : ConservationLaw<Burgers, D, 2, Speeds> {
  template <class T>
  MEANDER_TERM void flux(const T* q, const T*, int axis, T* f) const {
    const T speed = T(this->parameters.of[axis % 2]) * (q[0] + q[1]);
    f[0] = speed * q[0];
    f[1] = speed * q[1];
  }
  template <class T>
  MEANDER_TERM T max_eigenvalue(const T* q, const T*, int axis) const {
    return T(2.0) * abs(T(this->parameters.of[axis % 2]) * (q[0] + q[1]));
  }
  static double reflection_sign(int unknown, int) { return unknown == 1 ? -1 : 1; }
};
static_assert(Reconstructible<Burgers<2>> && Reconstructible<Burgers<3>> && !Floored<Burgers<2>>);

template <int D>
void check_kernels(const SchemeWords& scheme, int p) {
  const PdeSolver<Burgers<D>> solver("burgers", {}, choice_of<Burgers<D>>(scheme), {"a", "b"});
  const auto fill = [&](Patch& patch, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(-1, 1);
    for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
      for (int n = 0; n < 2; ++n) patch.at(n, i, j, k) = draw(engine);
    });
  };
  Batch expected(solver, p, 4, fill), found(solver, p, 4, fill);
  expected.update(0, 0.0, 1e-3);
  solver.launch(HostExecution(), found.launch(0, 0.0, 1e-3));
  found.finish();
  found.expect_same_bits(expected);
  EXPECT_GT(expected.status[0].max_rate, 0.5);
}

TEST(PdeSolver, DeviceKernelsAreBitwiseEqualToTheCpu) {
  for (const SchemeWords& scheme : every_scheme<Burgers<2>>()) {
    for (const int p : {3, 6, 9}) {
      SCOPED_TRACE(p);
      check_kernels<2>(scheme, p);
      check_kernels<3>(scheme, p);
    }
  }
}

TEST(PdeSolver, DerivedQuantitiesAreTheUnknowns) {
  const PdeSolver<Burgers<2>> solver("burgers", {}, choice_of<Burgers<2>>({"muscl", "mc", "rusanov"}),
                                     {"a", "b"});
  EXPECT_EQ(solver.traits().name, "burgers muscl mc");
  EXPECT_EQ(solver.traits().halo, 2);
  ASSERT_EQ(solver.derived().size(), 2u);
  const double q[] = {3, 5};
  EXPECT_EQ(solver.derived()[1].name, "b");
  EXPECT_EQ(solver.derived()[1].value(solver.parameters(), q), 5);
  double signs[2];
  solver.reflection_signs(0, signs);
  EXPECT_EQ(signs[0], 1);
  EXPECT_EQ(signs[1], -1);
  EXPECT_TRUE(solver.runs_on("host"));
}

TEST(ConservationLaw, AcceptsFiniteStatesOnly) {
  const Burgers<2> law;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    const double first[] = {bad, 1}, second[] = {1, bad};
    EXPECT_FALSE(law.admissible(first));
    EXPECT_FALSE(law.admissible(second));
  }
  const double good[] = {1e300, -1};
  EXPECT_TRUE(law.admissible(good));
}

// The sum of A_a(W) dW_a with explicit A_a = v_a (q0 + q1) + v_a q (1, 1). For a quadratic flux the
// differences are exact up to rounding.
TEST(ConservationLaw, PredictorIsTheQuasiLinearForm) {
  const Burgers<2> law;
  const double w[] = {0.7, -0.2}, dw[] = {0.1, 0.03, -0.05, 0.2};
  double sum[2] = {};
  for (int a = 0; a < 2; ++a) law.add_quasilinear(w, dw + 2 * a, a, sum);
  for (int n = 0; n < 2; ++n) {
    double expected = 0;
    for (int a = 0; a < 2; ++a) {
      const double v = law.parameters.of[a];
      expected += v * ((w[0] + w[1]) * dw[2 * a + n] + w[n] * (dw[2 * a] + dw[2 * a + 1]));
    }
    EXPECT_NEAR(sum[n], expected, 1e-15);
  }
}

}  // namespace
}  // namespace meander::solvers::test
