// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The interface supports the requirements of a second-order formulation of general relativity: many unknowns,
// a non-conservative product without flux, a source with step data, a wider halo. Tested with linear systems
// with known solutions.

#include <gtest/gtest.h>

#include "solvers/godunov.hpp"
#include "solvers/patch_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr int many = 59;

// dQ_n/dt + sum over axes of speed_n(a) dQ_n/dx_a = rate * Q_n, with a different speed for each unknown.
template <int D>
struct Carousel {
  struct StepData {
    double rate = 0;
  };
  static constexpr int dim = D, unknowns = many, auxiliaries = 0;
  static constexpr bool has_flux = false, has_ncp = true, has_source = true;

  MEANDER_HOST_DEVICE static double speed(int n, int axis) { return (n - 29) / 29.0 / (1 + axis); }
  template <class T>
  MEANDER_TERM T max_eigenvalue(const T*, const T*, int axis) const {
    return T(1.0 / (1 + axis));
  }
  template <class T>
  MEANDER_TERM void ncp(const T*, const T* gradient, int axis, T* b) const {
    for (int n = 0; n < many; ++n) b[n] = T(speed(n, axis)) * gradient[n];
  }
  MEANDER_HOST_DEVICE bool source_on(const StepData& step) const { return step.rate != 0; }
  template <class T>
  MEANDER_TERM void source(const T* q, const T*, double, double, const StepData& step, T* s) const {
    for (int n = 0; n < many; ++n) s[n] = T(step.rate) * q[n];
  }
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    return q[0] <= q[0];  // not NaN
  }
};
static_assert(Pde<Carousel<2>> && Pde<Carousel<3>> && !Floored<Carousel<3>> && !Reconstructible<Carousel<3>>);

template <class D>
class OtherEquations : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(OtherEquations, Dimensions);

// First-order Rusanov for a constant speed a and dissipation lambda: the exact update of each volume is
// known.
TYPED_TEST(OtherEquations, FiftyNineUnknownsAreAdvectedWithoutAFlux) {
  constexpr int dim = TypeParam::value;
  const Carousel<dim> pde;
  for (const int h : {1, 3}) {
    for (const int p : {3, 5, 8, 9}) {
      const PatchLayout layout(dim, p, h, many);
      Patch patch(layout);
      std::mt19937 engine(13);
      std::uniform_real_distribution<double> draw(-1, 1);
      for_volumes(layout, h, [&](int i, int j, int k) {
        if (axes_outside(layout, i, j, k) > 1) return;
        for (int n = 0; n < many; ++n) patch.at(n, i, j, k) = draw(engine);
      });
      const Patch old = patch;
      Patch scalar = patch;
      const double dx = 0.2, dt = 0.03, rate = 0.7;
      const typename Carousel<dim>::StepData step{rate};
      const PatchTask task = patch.task(dx), scalar_task = scalar.task(dx);
      PatchStatus status, scalar_status;
      update_batch<GodunovKernel<Carousel<dim>, Pack, RusanovFlux>>(pde, std::span(&task, 1), layout, 0, 0.0,
                                                                    dt, step, std::span(&status, 1));
      update_batch<GodunovKernel<Carousel<dim>, double, RusanovFlux>>(
          pde, std::span(&scalar_task, 1), layout, 0, 0.0, dt, step, std::span(&scalar_status, 1));
      for_volumes(layout, 0, [&](int i, int j, int k) {
        ASSERT_EQ(patch.volume(i, j, k), scalar.volume(i, j, k));
        for (int n = 0; n < many; ++n) {
          const double here = old.at(n, i, j, k);
          double expected = here;
          for (int a = 0; a < dim; ++a) {
            const int s[3] = {a == 0, a == 1, a == 2};
            const double below = old.at(n, i - s[0], j - s[1], k - s[2]),
                         above = old.at(n, i + s[0], j + s[1], k + s[2]), lambda = 1.0 / (1 + a);
            expected -= 0.5 * dt / dx *
                        (Carousel<dim>::speed(n, a) * (above - below) - lambda * (above - 2 * here + below));
          }
          expected *= 1 + dt * rate;
          ASSERT_NEAR(patch.at(n, i, j, k), expected, 1e-14);
        }
      });
      double rates = 0;
      for (int a = 0; a < dim; ++a) rates += 1.0 / (1 + a);
      EXPECT_NEAR(status.max_rate, rates, 1e-15);
      EXPECT_TRUE(status.admissible);
    }
  }
}

}  // namespace
}  // namespace meander::solvers::test
