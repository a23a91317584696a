// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernel of samples at points is bitwise equal to the sums over stencils, in any order of its threads, and reads and
// writes nothing else.

#include <gtest/gtest.h>

#include "solvers/resident_kernels.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/random_gather.hpp"

namespace meander::solvers::test {
namespace {

TEST(BlockGather, IsBitwiseEqualToTheHostInAnyOrder) {
  const int list[] = {3, 0, 4, 1};
  for (const auto& [p, h, count] : {std::array{9, 3, 200}, std::array{3, 2, 31}, std::array{4, 1, 1}}) {
    for (const std::size_t slopes : {0, 2, 4}) {
      for (const bool full : {false, true}) {
        const RandomGather gather(p, h, 5, PointQuery(list, slopes), count, full);
        const std::vector<double> expected = full ? gather.by_stencils<true>() : gather.by_stencils<false>();
        EXPECT_TRUE(same_bits(gather.by(SerialLauncher{}), expected)) << p << ' ' << slopes << ' ' << full;
        for (const Schedule& schedule : schedules())
          EXPECT_TRUE(same_bits(gather.by(AdversarialLauncher{schedule}), expected)) << p << ' ' << slopes;
      }
    }
  }
}

TEST(BlockGather, SumsOverTheNodesOfTheStencil) {
  const int list[] = {2, 4};
  const RandomGather gather(5, 2, 5, PointQuery(list, 1), 50, false);
  const std::vector<double> found = gather.by(SerialLauncher{});
  for (std::size_t n = 0; n < gather.size(); ++n) {
    const double* const sample = found.data() + n * 5;
    const auto expect = [&](double value, int u, int axis) {
      const auto [sum, size] = gather.naive(n, u, axis);
      EXPECT_NEAR(value, sum, 1e-13 * size) << n << ' ' << u << ' ' << axis;
    };
    for (int u = 0; u < 2; ++u) expect(sample[u], u, -1);
    for (int a = 0; a < 3; ++a) expect(sample[2 + a], 0, a);
  }
}

}  // namespace
}  // namespace meander::solvers::test
