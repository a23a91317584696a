// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Powers from exact operations: their error, and the values that they give exactly. Packs are in test_pack.cpp.

#include "solvers/power.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace meander::solvers {
namespace {

TEST(Power, HasARelativeErrorBelow2e14) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> mantissa(0.5, 1.0), exponent(-4, 4), decades(-80, 80);
  long double worst = 0;
  for (int n = 0; n < 200000; ++n) {
    const double x = std::ldexp(mantissa(engine), static_cast<int>(decades(engine))), y = exponent(engine);
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (exact < 1e-30L || exact > 1e30L) continue;
    worst = std::max(worst, std::abs(static_cast<long double>(power(x, y)) / exact - 1));
  }
  std::printf("largest relative error %.1Le\n", worst);
  EXPECT_LT(worst, 2e-14L);
}

TEST(Power, OfOneAndOfWholePowersOfTwoIsExact) {
  for (const double y : {0.0, 0.4, 2.0 / 3, -3.7}) EXPECT_EQ(power(1.0, y), 1.0) << y;
  for (int n = -1000; n <= 1000; n += 8)
    EXPECT_EQ(power(std::ldexp(1.0, n), 0.25), std::ldexp(1.0, n / 4)) << n;
}

TEST(InverseCubeRoot, HasARelativeErrorBelow2e16) {
  std::mt19937_64 engine(8);
  std::uniform_real_distribution<double> exponent(-1000, 1000);
  long double worst = 0, worst_power = 0;
  for (int n = 0; n < 200000; ++n) {
    const double x = std::exp2(exponent(engine)), root = inverse_cube_root(x);
    const long double exact = std::cbrt(static_cast<long double>(x));
    worst = std::max(worst, std::abs(root * exact - 1));
    worst_power = std::max(worst_power, std::abs(x * root / (exact * exact) - 1));
  }
  std::printf("largest relative error %.1Le, of x^(2/3) %.1Le\n", worst, worst_power);
  EXPECT_LT(worst, 2e-16L);
  EXPECT_LT(worst_power, 3e-16L);
}

TEST(InverseCubeRoot, OfPowersOfEightIsExact) {
  for (int n = -300; n <= 300; ++n)
    EXPECT_EQ(inverse_cube_root(std::ldexp(1.0, 3 * n)), std::ldexp(1.0, -n)) << n;
}

TEST(Power, IsContinuousWhereTheMantissaIsSplit) {
  const double root = std::sqrt(0.5);
  for (const double x : {root, 2 * root, 1.0, 4.0}) {
    const double below = power(std::nextafter(x, 0.0), 0.4), above = power(std::nextafter(x, 8.0), 0.4);
    EXPECT_NEAR(below / above, 1, 1e-15) << x;
  }
}

}  // namespace
}  // namespace meander::solvers
