// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/exact_sum.hpp"

namespace meander {
namespace {

double sum_of(const std::vector<double>& addends) {
  ExactSum sum;
  for (const double x : addends) sum.add(x);
  return sum.value();
}

// Doubles over the whole range of exponents, including subnormal ones.
std::vector<double> wild(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-1080, 1000);
  std::vector<double> addends(count);
  for (double& x : addends) x = std::ldexp(mantissa(random), exponent(random));
  return addends;
}

TEST(ExactSumQuick, SumOfOneAddendIsTheAddend) {
  for (const double x : wild(20000, 1)) EXPECT_EQ(sum_of({x}), x);
  for (const double x :
       {0.0, 1.0, -1.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::denorm_min(), -std::numeric_limits<double>::denorm_min()})
    EXPECT_EQ(sum_of({x}), x);
}

TEST(ExactSumQuick, AgreesWithIntegersBeyond64Bits) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    __int128 exact = 0;
    ExactSum sum;
    for (int i = 0; i < 50; ++i) {
      // Integers of up to 53 bits, shifted by up to 60.
      const auto mantissa = static_cast<std::int64_t>(random() >> 11) - (std::int64_t{1} << 52);
      const auto shift = static_cast<int>(random() % 61);
      exact += static_cast<__int128>(mantissa) << shift;
      sum.add(std::ldexp(static_cast<double>(mantissa), shift));
    }
    EXPECT_EQ(sum.value(), static_cast<double>(exact));
  }
}

TEST(ExactSumQuick, IsIndependentOfOrderAndPartition) {
  std::mt19937_64 random(3);
  auto addends = wild(5000, 4);
  const double reference = sum_of(addends);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(addends.begin(), addends.end(), random);
    ExactSum parts[7], all;
    for (const double x : addends) parts[random() % 7].add(x);
    for (const ExactSum& part : parts) all.add(part);
    EXPECT_EQ(all.value(), reference);
  }
}

// Emulates a reduction over processes: the parts of each are added as integers.
TEST(ExactSumQuick, PartsOfProcessesAddUpToTheTotal) {
  std::mt19937_64 random(8);
  auto addends = wild(5000, 9);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto sum_by_parts = [&](int processes) {
    std::vector<ExactSum> sums(static_cast<std::size_t>(processes));
    for (const double x : addends) sums[random() % sums.size()].add(x);
    ExactSum::Parts total{};
    for (const ExactSum& sum : sums) {
      const auto parts = sum.parts();
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += parts[i];
    }
    return ExactSum(total).value();
  };
  for (const int processes : {1, 2, 7, 1000}) {
    EXPECT_EQ(sum_by_parts(processes), sum_of(addends));
    for (double& x : addends) x = -x;
    EXPECT_EQ(sum_by_parts(processes), sum_of(addends));
  }
  addends.push_back(-infinity);
  EXPECT_EQ(sum_by_parts(5), -infinity);
  addends.push_back(infinity);
  EXPECT_TRUE(std::isnan(sum_by_parts(5)));
  addends = {1.0, std::nan(""), infinity};
  EXPECT_TRUE(std::isnan(sum_by_parts(3)));
}

TEST(ExactSumQuick, CancelsExactly) {
  auto addends = wild(1000, 5);
  const std::size_t count = addends.size();
  for (std::size_t i = 0; i < count; ++i) addends.push_back(-addends[i]);
  addends.push_back(1e-300);
  std::shuffle(addends.begin(), addends.end(), std::mt19937_64(6));
  EXPECT_EQ(sum_of(addends), 1e-300);
}

TEST(ExactSumQuick, RoundsTiesToEven) {
  const double ulp = std::numeric_limits<double>::epsilon();
  EXPECT_EQ(sum_of({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, 1e-300}), 1.0 + ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, -1e-300}), 1.0);
  EXPECT_EQ(sum_of({2.0, -ulp / 2}), 2.0);
  EXPECT_EQ(sum_of({2.0, -ulp / 2, -1e-300}), 2.0 - ulp);
}

TEST(ExactSumQuick, IntermediateOverflowDoesNotAffectTheSum) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of({largest, largest, -largest}), largest);
  EXPECT_EQ(sum_of({largest, largest}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum_of({-largest, -largest}), -std::numeric_limits<double>::infinity());
}

TEST(ExactSumQuick, PropagatesInfinitiesAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({1.0, infinity, 2.0}), infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.0, std::nan("")})));
}

TEST(ExactSumQuick, CanBeSentAsBytes) {
  ExactSum sum, received;
  for (const double x : wild(100, 7)) sum.add(x);
  unsigned char message[sizeof(ExactSum)];
  std::memcpy(message, &sum, sizeof sum);
  std::memcpy(&received, message, sizeof sum);
  EXPECT_EQ(received.value(), sum.value());
}

}  // namespace
}  // namespace meander
