// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Domains and random adaptive trees for the mesh tests.

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mesh/refine.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh::test {

using Random = std::mt19937_64;

// The dimension as a type, for typed tests.
template <int D>
using Dimension = std::integral_constant<int, D>;

// Returns true with the given probability; identical for every standard library.
inline bool chance(Random& random, double probability) {
  return static_cast<double>(random() >> 11) * 0x1p-53 < probability;
}
inline double uniform_in(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

template <int D>
Domain<D> cube(bool periodic = false) {
  Domain<D> domain;
  domain.base_cells.fill(1);
  domain.periodic.fill(periodic);
  return domain;
}

template <int D>
Domain<D> box(int base_level, const Index<D>& base_cells, const Vec<bool, D>& periodic) {
  Domain<D> domain;
  domain.base_level = base_level;
  domain.base_cells = base_cells;
  domain.periodic = periodic;
  domain.base_width = 0.7;
  for (int a = 0; a < D; ++a) domain.lower[a] = -1.3 + 0.9 * a;
  return domain;
}

// Cubes and boxes, thin and thick, bounded and periodic, sizes that are no powers of 3 among them.
template <int D>
std::vector<Domain<D>> domains() {
  std::vector<Domain<D>> all{cube<D>(false), cube<D>(true)};
  if constexpr (D == 2) {
    all.push_back(box<2>(2, {9, 9}, {true, true}));
    all.push_back(box<2>(2, {7, 1}, {false, true}));
    all.push_back(box<2>(2, {1, 5}, {true, false}));
    all.push_back(box<2>(1, {2, 3}, {true, true}));
    all.push_back(box<2>(2, {4, 2}, {false, false}));
  } else {
    all.push_back(box<3>(1, {3, 3, 3}, {true, true, true}));
    all.push_back(box<3>(2, {5, 1, 1}, {false, true, true}));
    all.push_back(box<3>(2, {1, 1, 4}, {false, false, true}));
    all.push_back(box<3>(1, {2, 1, 3}, {true, false, true}));
    all.push_back(box<3>(1, {2, 2, 2}, {true, true, false}));
  }
  return all;
}

// An unbalanced tree: base cells are refined, other cells with the given probability.
template <int D>
Spacetree<D> random_tree(const Domain<D>& domain, int max_level, double probability, Random& random) {
  return refined_where(Spacetree<D>::uniform(domain, domain.base_level), max_level, [&](const Cell<D>& cell) {
    return cell.level == domain.base_level || chance(random, probability);
  });
}

// An unbalanced tree with at least about `leaves` leaves: raises the probability until there are enough.
template <int D>
Spacetree<D> random_tree_of(const Domain<D>& domain, std::size_t leaves, int max_level, Random& random) {
  for (double probability = 1.0 / children<D>;; probability *= 1.1) {
    auto tree = random_tree(domain, max_level, probability, random);
    if (tree.size() >= leaves) return tree;
  }
}

// The box of a leaf in units of the finest level: integers, so that geometry is exact.
template <int D>
struct Box {
  Index<D> low{}, high{};
};

template <int D>
Box<D> box_of(const Cell<D>& cell, int finest) {
  Box<D> result;
  const int width = ipow(3, finest - cell.level);
  for (int a = 0; a < D; ++a) {
    result.low[a] = cell.at[a] * width;
    result.high[a] = result.low[a] + width;
  }
  return result;
}

// Whether two closed boxes intersect. `shared`: number of axes along which the intersection has positive
// length.
template <int D>
bool touch(const Box<D>& a, const Box<D>& b, int* shared = nullptr) {
  int lengths = 0;
  for (int i = 0; i < D; ++i) {
    const int low = std::max(a.low[i], b.low[i]), high = std::min(a.high[i], b.high[i]);
    if (low > high) return false;
    lengths += low < high;
  }
  if (shared != nullptr) *shared = lengths;
  return true;
}

// The images of a box under the domain's periods, itself in the middle.
template <int D>
std::vector<Box<D>> images(const Domain<D>& domain, const Box<D>& box, int finest) {
  std::vector<Box<D>> result;
  for (int i = 0; i < children<D>; ++i) {
    Box<D> image = box;
    bool exists = true;
    for (int a = 0, rest = i; a < D; ++a, rest /= 3) {
      const int shift = rest % 3 - 1;
      exists = exists && (shift == 0 || domain.periodic[a]);
      image.low[a] += shift * domain.cells(finest, a);
      image.high[a] += shift * domain.cells(finest, a);
    }
    if (exists) result.push_back(image);
  }
  return result;
}

template <int D>
std::vector<Cell<D>> cells_of(const Spacetree<D>& tree) {
  std::vector<Cell<D>> cells;
  for (const Key<D> key : tree.leaves()) cells.push_back(cell_of(key));
  return cells;
}

template <int D>
int finest_level(const Spacetree<D>& tree) {
  int level = 0;
  for (const Key<D> key : tree.leaves()) level = std::max(level, key.level());
  return level;
}

template <int D>
bool same_leaves(const Spacetree<D>& a, const Spacetree<D>& b) {
  return std::equal(a.leaves().begin(), a.leaves().end(), b.leaves().begin(), b.leaves().end());
}

}  // namespace meander::mesh::test
