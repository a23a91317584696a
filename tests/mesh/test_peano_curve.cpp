// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/peano_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/mesh/random_trees.hpp"

namespace meander::mesh {
namespace {

using namespace test;

template <class T>
class PeanoCurveQuick : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(PeanoCurveQuick, Dimensions);

// All cells of a level in lexicographic order.
template <int D>
std::vector<Cell<D>> level_cells(int level) {
  const int n = ipow(3, level);
  std::vector<Cell<D>> cells(static_cast<std::size_t>(ipow(n, D)));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].level = level;
    for (int a = 0, rest = static_cast<int>(i); a < D; ++a, rest /= n) cells[i].at[a] = rest % n;
  }
  return cells;
}

TYPED_TEST(PeanoCurveQuick, VisitsEveryCellOfALevelFaceToFace) {
  constexpr int D = TypeParam::value;
  for (int level = 0; level <= (D == 2 ? 5 : 4); ++level) {
    std::vector<Key<D>> keys;
    for (const auto& cell : level_cells<D>(level)) {
      keys.push_back(key_of(cell));
      ASSERT_EQ(cell_of(keys.back()), cell);
    }
    std::sort(keys.begin(), keys.end());
    ASSERT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const auto a = cell_of(keys[i - 1]), b = cell_of(keys[i]);
      int distance = 0;
      for (int axis = 0; axis < D; ++axis) distance += std::abs(a.at[axis] - b.at[axis]);
      ASSERT_EQ(distance, 1) << "level " << level << ", step " << i;
    }
    // The curve connects opposite corners.
    const int last = ipow(3, level) - 1;
    for (int axis = 0; axis < D; ++axis) {
      EXPECT_EQ(cell_of(keys.front()).at[axis], 0);
      EXPECT_EQ(cell_of(keys.back()).at[axis], last);
    }
  }
}

TYPED_TEST(PeanoCurveQuick, RunsAnAxisBackwardsWhereTheOtherCoordinatesAreOdd) {
  constexpr int D = TypeParam::value;
  for (const auto& cell : level_cells<D>(2)) {
    const auto first = cell_of(key_of(cell).child(0)), last = cell_of(key_of(cell).child(children<D> - 1));
    for (int a = 0; a < D; ++a) {
      int others = 0;
      for (int b = 0; b < D; ++b) others += b != a ? cell.at[b] : 0;
      const int from = others % 2 == 0 ? 0 : 2;
      EXPECT_EQ(first.at[a], 3 * cell.at[a] + from);
      EXPECT_EQ(last.at[a], 3 * cell.at[a] + 2 - from);
    }
  }
}

TYPED_TEST(PeanoCurveQuick, XIsTheFastestAxis) {
  constexpr int D = TypeParam::value;
  for (int digit = 0; digit < children<D>; ++digit) {
    const int row = digit / 3, way = row % 2 == 0 ? digit % 3 : 2 - digit % 3;
    EXPECT_EQ(child_position<D>({}, digit) % 3, way);
    if (D == 3) {
      EXPECT_EQ(child_position<D>({}, digit) / 9, digit / 9);
    }
  }
}

TYPED_TEST(PeanoCurveQuick, KeysAndCellsAreInverseOnAllLevels) {
  constexpr int D = TypeParam::value;
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    Cell<D> cell{.level = static_cast<int>(random() % (Key<D>::max_level + 1))};
    for (int& x : cell.at) x = static_cast<int>(random() % static_cast<unsigned>(ipow(3, cell.level)));
    const auto key = key_of(cell);
    ASSERT_EQ(cell_of(key), cell);
    ASSERT_EQ(key.level(), cell.level);
    if (cell.level == 0) continue;
    Cell<D> parent{.level = cell.level - 1};
    int position = 0;
    for (int a = D - 1; a >= 0; --a) {
      parent.at[a] = cell.at[a] / 3;
      position = 3 * position + cell.at[a] % 3;
    }
    ASSERT_EQ(key.parent(), key_of(parent));
    ASSERT_EQ(key.parent().child(key.digit(cell.level)), key);
    ASSERT_TRUE(key_of(parent).contains(key));
    ASSERT_FALSE(key.contains(key_of(parent)));
    ASSERT_EQ(child_position(parent, key.digit(cell.level)), position);
    ASSERT_EQ(child_digit(parent, position), key.digit(cell.level));
  }
}

TYPED_TEST(PeanoCurveQuick, KeysSortAncestorsFirstAndSubtreesTogether) {
  constexpr int D = TypeParam::value;
  std::vector<Key<D>> keys;
  for (int level = 0; level <= 3; ++level) {
    for (const auto& cell : level_cells<D>(level)) keys.push_back(key_of(cell));
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t size = 1;
    for (int level = keys[i].level(); level < 3; ++level) size = 1 + children<D> * size;
    for (std::size_t j = i; j < std::min(keys.size(), i + size + 1); j += 1 + size / 7) {
      ASSERT_EQ(keys[i].contains(keys[j]), j < i + size);
    }
    if (i + size < keys.size()) {
      ASSERT_FALSE(keys[i].contains(keys[i + size]));
    }
    ASSERT_TRUE(keys[i].contains(keys[i + size - 1]));
  }
}

}  // namespace
}  // namespace meander::mesh
