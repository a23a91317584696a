// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The surface of pieces of the Peano curve is small: the reason to partition along it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mesh/neighbours.hpp"
#include "tests/mesh/random_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

// For each leaf, the leaves that share a face or part of a face with it.
template <int D>
std::vector<std::vector<std::int32_t>> face_neighbours(const Spacetree<D>& tree) {
  const Neighbours<D> neighbours(tree);
  std::vector<std::vector<std::int32_t>> result(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (int axis = 0; axis < D; ++axis) {
      for (const int side : {-1, 1}) {
        Index<D> offset{};
        offset[axis] = side;
        const auto neighbour = neighbours.of(static_cast<std::int32_t>(i), direction_of<D>(offset));
        if (neighbour.is_leaf()) result[i].push_back(neighbour.leaf());
        if (!neighbour.is_refined()) continue;
        const auto below = neighbours.refined_children(neighbour.refined_cell());
        for (int position = 0; position < children<D>; ++position) {
          if (digits_of<D>(position)[axis] == (side > 0 ? 0 : 2))
            result[i].push_back(below[static_cast<std::size_t>(position)]);
        }
      }
    }
  }
  return result;
}

template <class T>
class PartitionSurface : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(PartitionSurface, Dimensions);

// Number of faces between a piece of n leaves and other pieces, divided by n^((D - 1) / D): 4 for a square, 6
// for a cube. On random balanced meshes with 2000 and more leaves, up to 8 (2D) or 5 (3D) levels below the
// base cells, cubes and boxes, cut evenly into 2 to 300 pieces. Measured: 2D mean 6.3, largest 17.0; 3D mean
// 8.5, largest 21.2. The bounds are 25 % higher.
TYPED_TEST(PartitionSurface, GrowsLikeThatOfABall) {
  constexpr int D = TypeParam::value;
  const double largest_bound = D == 2 ? 21.3 : 26.5, mean_bound = D == 2 ? 7.9 : 10.7;
  Random random(11);
  double largest = 0, sum = 0;
  int pieces_seen = 0;
  for (const auto& domain : domains<D>()) {
    for (int round = 0; round < 3; ++round) {
      const std::size_t least = round == 0 ? 2000 : round == 1 ? 10000 : 40000;
      const auto tree =
          random_tree_of(domain, least, domain.base_level + (D == 2 ? 8 : 5), random).balanced();
      const auto beside = face_neighbours(tree);
      for (const std::size_t pieces : {2, 3, 5, 8, 20, 80, 300}) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
          const std::size_t begin = tree.size() * piece / pieces, end = tree.size() * (piece + 1) / pieces;
          std::size_t remote = 0;
          for (std::size_t i = begin; i < end; ++i) {
            for (const auto other : beside[i]) {
              const auto j = static_cast<std::size_t>(other);
              remote += j < begin || j >= end;
            }
          }
          const double factor =
              static_cast<double>(remote) / std::pow(static_cast<double>(end - begin), (D - 1.0) / D);
          largest = std::max(largest, factor);
          sum += factor;
          ++pieces_seen;
        }
      }
    }
  }
  const double mean = sum / pieces_seen;
  std::printf("%dD: remote faces / n^(%d/%d): mean %.2f, largest %.2f of %d pieces\n", D, D - 1, D, mean,
              largest, pieces_seen);
  EXPECT_LE(largest, largest_bound);
  EXPECT_LE(mean, mean_bound);
}

}  // namespace
}  // namespace meander::mesh
