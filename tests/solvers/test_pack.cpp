// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Each lane of a pack is bitwise equal to double.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "solvers/pack.hpp"

namespace meander::solvers::test {
namespace {

constexpr int W = lanes<Pack>;

std::vector<double> samples() {
  std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 1e300, 0.1, 1.0 / 3, 4e-320};
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-40, 40);
  while (values.size() % 512 != 0) values.push_back(std::ldexp(mantissa(engine), exponent(engine)));
  return values;
}

template <class Operation>
void expect_same(const Operation& operation) {
  const std::vector<double> a = samples();
  std::vector<double> b(a.rbegin(), a.rend()), c(a);
  std::rotate(c.begin(), c.begin() + 37, c.end());
  for (std::size_t i = 0; i + W <= a.size(); i += W) {
    double out[W];
    store(out, operation(load<Pack>(&a[i]), load<Pack>(&b[i]), load<Pack>(&c[i])));
    for (std::size_t lane = 0; lane < W; ++lane) {
      const double one = operation(a[i + lane], b[i + lane], c[i + lane]);
      if (std::isnan(one) && std::isnan(out[lane])) continue;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(out[lane]), std::bit_cast<std::uint64_t>(one))
          << a[i + lane] << ' ' << b[i + lane] << ' ' << c[i + lane];
    }
  }
}

TEST(Pack, ArithmeticAgreesWithDouble) {
  expect_same([](auto a, auto b, auto) { return a + b; });
  expect_same([](auto a, auto b, auto) { return a - b; });
  expect_same([](auto a, auto b, auto) { return a * b; });
  expect_same([](auto a, auto b, auto) { return a / b; });
  expect_same([](auto a, auto, auto) { return -a; });
}

TEST(Pack, FunctionsAgreeWithDouble) {
  expect_same([](auto a, auto b, auto c) { return fma(a, b, c); });
  expect_same([](auto a, auto, auto) { return sqrt(abs(a)); });
  expect_same([](auto a, auto b, auto) { return max(a, b); });
  expect_same([](auto a, auto b, auto) { return min(a, b); });
  expect_same([](auto a, auto, auto) { return floor(a); });
  expect_same([](auto a, auto b, auto c) { return select(a > b, b, c); });
  expect_same([](auto a, auto, auto) { return power(a, 2.0 / 3); });
  expect_same([](auto a, auto, auto) { return inverse_cube_root(a); });
  expect_same([](auto a, auto b, auto c) { return select(a < b && c <= b, b, c); });
  expect_same([](auto a, auto b, auto) { return abs(smaller(a, b)); });
  expect_same([](auto a, auto b, auto) { return larger_magnitude(a, b); });
  expect_same([](auto a, auto b, auto c) { return smaller_if_same_sign(a, b, c, c); });
}

TEST(Pack, MinAndMaxReturnTheSecondArgumentForNaN) {
  const double nan = std::nan("");
  EXPECT_EQ(max(nan, 2.0), 2.0);
  EXPECT_EQ(largest(max(Pack(nan), Pack(2.0))), 2.0);
  EXPECT_TRUE(std::isnan(max(2.0, nan)));
  EXPECT_TRUE(std::isnan(total(max(Pack(2.0), Pack(nan)))));
  EXPECT_EQ(total(min(Pack(nan), Pack(2.0))), 2.0 * W);
}

TEST(Pack, ShiftInMovesLanesUpByOne) {
  double first[W], second[W], out[W];
  for (int i = 0; i < W; ++i) {
    first[i] = i;
    second[i] = 100 + i;
  }
  store(out, shift_in(load<Pack>(first), load<Pack>(second)));
  EXPECT_EQ(out[0], W - 1);
  for (int i = 1; i < W; ++i) EXPECT_EQ(out[i], 100 + i - 1);
}

TEST(Pack, NeighboursSumAndMaximum) {
  double table[65], index[W], first[W], second[W], expected = 0;
  for (int i = 0; i < 65; ++i) table[i] = i * i;
  for (int i = 0; i < W; ++i) {
    index[i] = (17 * i + 5) % 64;
    expected += table[static_cast<int>(index[i])];
  }
  const Neighbours<Pack> found = neighbours(table, load<Pack>(index));
  store(first, found.first);
  store(second, found.second);
  for (int i = 0; i < W; ++i) {
    EXPECT_EQ(first[i], neighbours(table, index[i]).first);
    EXPECT_EQ(second[i], neighbours(table, index[i]).second);
    EXPECT_EQ(second[i], table[static_cast<int>(index[i]) + 1]);
  }
  EXPECT_EQ(total(found.first), expected);
  EXPECT_EQ(largest(found.first), *std::max_element(first, first + W));
}

}  // namespace
}  // namespace meander::solvers::test
