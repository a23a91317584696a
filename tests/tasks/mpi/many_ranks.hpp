// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps on several ranks, compared with those of one.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::tasks {

inline const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

// Which ranks have a device.
enum class Devices { none, all, some };

// That the leaves of a rank have the bits of those of one rank alone, which have the same order. Collective.
inline void expect_same_leaves(const std::vector<std::vector<double>>& expected,
                               const std::vector<std::vector<double>>& found, const std::string& what) {
  const auto first =
      static_cast<std::size_t>(world().sum_of_lower_ranks(static_cast<std::int64_t>(found.size())));
  ASSERT_LE(first + found.size(), expected.size());
  std::size_t different = 0;
  for (std::size_t leaf = 0; leaf < found.size(); ++leaf) {
    const auto &left = found[leaf], &right = expected[first + leaf];
    ASSERT_EQ(left.size(), right.size());
    if (std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) != 0) ++different;
  }
  EXPECT_EQ(different, 0u) << what << ", of " << found.size() << " leaves";
}

}  // namespace meander::tasks
