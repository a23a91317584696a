// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares cuts by weight with an exhaustive search, and tests migration.

#include <gtest/gtest.h>

#include <limits>

#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

std::vector<std::int64_t> cut_of(const std::vector<std::int64_t>& weights, Random& random) {
  const auto cuts = random_cuts(weights.size(), random);
  const auto r = static_cast<std::size_t>(world().rank());
  return cut_by_weight(
      world(), std::span<const std::int64_t>(weights).subspan(
                   static_cast<std::size_t>(cuts[r]), static_cast<std::size_t>(cuts[r + 1] - cuts[r])));
}

TEST(CutByWeightQuick, IsWithinALeafOfTheIdealForAnyPresentCut) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = round < 20 ? static_cast<std::size_t>(round) : 1 + random() % 300;
    const int kind = round % 4;
    std::vector<std::int64_t> weights(n);
    for (auto& weight : weights) {
      weight = kind == 0   ? 1
               : kind == 1 ? static_cast<std::int64_t>(random() % 1000)
               : kind == 2 ? (chance(random, 0.9) ? 0 : 1 + static_cast<std::int64_t>(random() % 10))
                           : std::int64_t{1} << (random() % 40);
    }
    const auto cuts = cut_of(weights, random);
    ASSERT_EQ(cuts, cut_of(weights, random));
    ASSERT_EQ(cuts.size(), static_cast<std::size_t>(world().size()) + 1);
    ASSERT_EQ(cuts.front(), 0);
    ASSERT_EQ(cuts.back(), static_cast<std::int64_t>(n));
    ASSERT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
    std::int64_t total = 0, heaviest = 0;
    for (const auto weight : weights) {
      total += weight;
      heaviest = std::max(heaviest, weight);
    }
    if (total == 0) continue;
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
      std::int64_t part = 0;
      for (auto i = cuts[r]; i < cuts[r + 1]; ++i) part += weights[static_cast<std::size_t>(i)];
      ASSERT_LE(std::abs(part * world().size() - total), heaviest * world().size());
      // No cut is nearer to the ideal, and none below is as near with less weight.
      std::int64_t before = 0, least = std::numeric_limits<std::int64_t>::max(), at = 0;
      const auto ideal = static_cast<std::int64_t>(r) * total;
      for (std::size_t i = 0; i <= n; ++i) {
        least = std::min(least, std::abs(before * world().size() - ideal));
        if (static_cast<std::int64_t>(i) == cuts[r]) at = before;
        if (i < n) before += weights[i];
      }
      ASSERT_EQ(std::abs(at * world().size() - ideal), least);
    }
  }
}

TEST(CutByWeightQuick, CountsLeavesIfAllWeightsAreZero) {
  Random random(2);
  for (const std::size_t n : {0u, 1u, 5u, 100u}) {
    EXPECT_EQ(cut_of(std::vector<std::int64_t>(n, 0), random),
              cut_of(std::vector<std::int64_t>(n, 1), random));
  }
}

TEST(CutByWeightQuick, HandlesLargeSums) {
  Random random(3);
  const std::vector<std::int64_t> weights(40, std::numeric_limits<std::int64_t>::max() / 80);
  EXPECT_EQ(cut_of(weights, random), cut_of(std::vector<std::int64_t>(40, 1), random));
}

TEST(MigrationQuick, PiecesAddUpAndMatchOnBothSides) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = random() % 100;
    const auto from = random_cuts(n, random), to = random_cuts(n, random);
    const auto size = static_cast<std::size_t>(world().size());
    for (std::size_t r = 0; r < size; ++r) {
      const auto plan = migration(from, to, static_cast<int>(r));
      std::size_t sent = 0, received = 0;
      for (const auto& piece : plan.send) {
        ASSERT_EQ(piece.begin, sent);
        ASSERT_GT(piece.count, 0u);
        sent += piece.count;
        // Identical leaves, by number along the curve, arrive on the other side.
        const auto other = static_cast<std::size_t>(piece.rank);
        bool arrives = false;
        for (const auto& arrival : migration(from, to, piece.rank).receive) {
          arrives = arrives || (arrival.rank == static_cast<int>(r) && arrival.count == piece.count &&
                                to[other] + static_cast<std::int64_t>(arrival.begin) ==
                                    from[r] + static_cast<std::int64_t>(piece.begin));
        }
        ASSERT_TRUE(arrives);
      }
      for (const auto& piece : plan.receive) {
        ASSERT_EQ(piece.begin, received);
        received += piece.count;
      }
      ASSERT_EQ(static_cast<std::int64_t>(sent), from[r + 1] - from[r]);
      ASSERT_EQ(static_cast<std::int64_t>(received), to[r + 1] - to[r]);
    }
  }
}

}  // namespace
}  // namespace meander::mesh
