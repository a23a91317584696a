// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/refine.hpp"

namespace meander::bench {
namespace {

using namespace meander::mesh;

template <int D>
DistributedTree<D> uniform(double leaves) {
  double nearest = std::numeric_limits<double>::max();
  int cells = 3, levels = 0;
  for (int n = 3; n <= 8; ++n) {
    for (int refined = 0; refined <= 6; ++refined) {
      const double distance = std::abs(std::log(std::pow(n * std::pow(3.0, refined), D) / leaves));
      if (distance >= nearest) continue;
      nearest = distance;
      cells = n;
      levels = refined;
    }
  }
  Domain<D> domain;
  domain.base_level = cells == 3 ? 1 : 2;
  domain.base_cells.fill(cells);
  domain.periodic.fill(true);
  return DistributedTree<D>::uniform(domain, domain.base_level + levels, {});
}

template <int D, class Where>
DistributedTree<D> refined(int start, int finest, const Where& where) {
  Domain<D> cube;
  cube.base_cells.fill(1);
  return DistributedTree<D>::uniform(cube, start, {}).refined_where(finest, where).balanced();
}

// Distance of the nearest and of the farthest point of a cell from the centre of the unit cube along an axis.
struct Distance {
  double least, most;
};
Distance distance(int at, int level) {
  const double width = 1 / std::pow(3.0, level), low = at * width - 0.5, high = low + width;
  const double a = std::abs(low), b = std::abs(high);
  return {low * high <= 0 ? 0 : std::min(a, b), std::max(a, b)};
}

template <int D>
DistributedTree<D> nest(int start, int cubes, double half_width) {
  return refined<D>(start, start + cubes, [=](const Cell<D>& cell) {
    const double width = 1 / std::pow(3.0, cell.level);
    double farthest = 0;  // of the cell's centre, along any axis
    for (const int at : cell.at) farthest = std::max(farthest, std::abs((at + 0.5) * width - 0.5));
    return farthest < half_width / std::pow(3.0, cell.level - start);
  });
}

template <int D>
DistributedTree<D> shell(int finest, double radius) {
  return refined<D>(1, finest, [=](const Cell<D>& cell) {
    double least = 0, most = 0;
    for (const int at : cell.at) {
      const Distance d = distance(at, cell.level);
      least += d.least * d.least;
      most += d.most * d.most;
    }
    return least <= radius * radius && radius * radius <= most;
  });
}

// The tree make(size) with low <= size <= high whose number of leaves, which grows with the size, is nearest.
template <int D, class Make>
DistributedTree<D> nearest(double leaves, double low, double high, const Make& make) {
  auto best = make(high);
  const auto miss = [&](const DistributedTree<D>& tree) {
    return std::abs(static_cast<double>(tree.global_size()) - leaves);
  };
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    auto tree = make(middle);
    (static_cast<double>(tree.global_size()) < leaves ? low : high) = middle;
    if (miss(tree) < miss(best)) best = std::move(tree);
  }
  return best;
}

}  // namespace

template <int D>
DistributedTree<D> tree_of(TreeKind kind, double leaves, int cubes) {
  switch (kind) {
    case TreeKind::uniform:
      return uniform<D>(leaves);
    case TreeKind::nest: {
      // The coarsest level has at most half of the leaves.
      int start = 1;
      while (std::pow(children<D>, start + 1) <= leaves / 2 && start + cubes < Key<D>::max_level) ++start;
      return nearest<D>(leaves, 0, 0.5, [=](double half_width) { return nest<D>(start, cubes, half_width); });
    }
    case TreeKind::shell: {
      constexpr double smallest = 0.15, largest = 0.45;
      int finest = 2;
      while (finest + 1 < Key<D>::max_level &&
             static_cast<double>(shell<D>(finest, largest).global_size()) < leaves)
        ++finest;
      return nearest<D>(leaves, smallest, largest, [=](double radius) { return shell<D>(finest, radius); });
    }
  }
  return uniform<D>(leaves);
}

template DistributedTree<2> tree_of<2>(TreeKind, double, int);
template DistributedTree<3> tree_of<3>(TreeKind, double, int);

}  // namespace meander::bench
