// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A search tree over boxes. Queries cost the logarithm of their number and find boxes in an order that depends on the boxes
// alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace meander::simulation {

class BoxTree {
 public:
  struct Box {
    double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  };

  explicit BoxTree(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (!boxes_.empty()) build(0, boxes_.size());
  }

  const Box& box(std::size_t index) const { return boxes_[index]; }
  // The smallest box that holds all; there must be one.
  const Box& bounds() const { return nodes_.front().bounds; }

  // Calls visit(index) for each box that touches [lower, upper] until it returns false.
  template <class Visit>
  void touching(const double* lower, const double* upper, const Visit& visit) const {
    if (!nodes_.empty()) search(0, lower, upper, visit);
  }

 private:
  static constexpr std::size_t most_in_leaf = 4;

  struct Node {
    Box bounds;
    std::uint32_t begin = 0, end = 0;  // in order_
    std::uint32_t second = 0;          // the second child; the first follows its parent. 0: a leaf
  };

  static bool touch(const Box& box, const double* lower, const double* upper) {
    for (int a = 0; a < 3; ++a) {
      if (box.upper[a] < lower[a] || box.lower[a] > upper[a]) return false;
    }
    return true;
  }

  std::uint32_t build(std::size_t begin, std::size_t end) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    const double infinity = std::numeric_limits<double>::infinity();
    Box bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    for (std::size_t i = begin; i < end; ++i) {
      for (int a = 0; a < 3; ++a) {
        bounds.lower[a] = std::min(bounds.lower[a], boxes_[order_[i]].lower[a]);
        bounds.upper[a] = std::max(bounds.upper[a], boxes_[order_[i]].upper[a]);
      }
    }
    nodes_.push_back({bounds, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), 0});
    if (end - begin <= most_in_leaf) return index;
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
      if (bounds.upper[a] - bounds.lower[a] > bounds.upper[axis] - bounds.lower[axis]) axis = a;
    }
    const auto middle = [&](std::uint32_t i) { return boxes_[i].lower[axis] + boxes_[i].upper[axis]; };
    const std::size_t half = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(half), at(end), [&](std::uint32_t i, std::uint32_t j) {
      return middle(i) != middle(j) ? middle(i) < middle(j) : i < j;
    });
    // Within a half, the order must not depend on the library.
    std::sort(at(begin), at(half));
    std::sort(at(half), at(end));
    build(begin, half);
    nodes_[index].second = build(half, end);
    return index;
  }

  template <class Visit>
  bool search(std::size_t n, const double* lower, const double* upper, const Visit& visit) const {
    const Node& node = nodes_[n];
    if (!touch(node.bounds, lower, upper)) return true;
    if (node.second != 0)
      return search(n + 1, lower, upper, visit) && search(node.second, lower, upper, visit);
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      if (touch(boxes_[order_[i]], lower, upper) && !visit(std::size_t{order_[i]})) return false;
    }
    return true;
  }

  std::vector<Box> boxes_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace meander::simulation
