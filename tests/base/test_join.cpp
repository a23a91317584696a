// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "base/join.hpp"

namespace meander {
namespace {

TEST(Join, PutsSeparatorsBetweenItemsOnly) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"one"}, ", "), "one");
  EXPECT_EQ(join(std::vector<std::string>{"one", "", "three"}, " and "), "one and  and three");
  EXPECT_EQ(join(std::vector<int>{2, -3}, " and "), "2 and -3");
  EXPECT_EQ(join(std::vector<std::int64_t>{std::int64_t{1} << 40, 0}, ","), "1099511627776,0");
}

TEST(Join, PrintsNumbersWithAsManyDigitsAsAreAskedFor) {
  const double numbers[] = {0.1, 1.0 / 3, 1e-20, 12345678.5};
  EXPECT_EQ(join(numbers, ", "), "0.1, 0.3333333333333333, 1e-20, 12345678.5");
  EXPECT_EQ(join(numbers, ", ", 3), "0.1, 0.333, 1e-20, 1.23e+07");
}

}  // namespace
}  // namespace meander
