// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/outputs/leaf_grid.hpp"

#include <algorithm>
#include <limits>

#include "simulation/config/domain_of.hpp"

namespace meander::simulation {

LeafGrid::LeafGrid(const Config& config, int patch_size) : dims_(config.domain.dimensions), p_(patch_size) {
  if (dims_ == 2)
    plane_ = domain_of<2>(config);
  else
    space_ = domain_of<3>(config);
}

double LeafGrid::face(int level, std::size_t axis, int index) const {
  const int a = static_cast<int>(axis);
  return plane_ ? plane_->face(level, a, index) : space_->face(level, a, index);
}

Interval LeafGrid::between_faces(const Piece& leaf, std::size_t axis) const {
  return {face(leaf.level, axis, leaf.at[axis]), face(leaf.level, axis, leaf.at[axis] + 1)};
}

Interval LeafGrid::leaf(const Piece& leaf, std::size_t axis) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int a = static_cast<int>(axis);
  const int leaves = plane_ ? plane_->cells(leaf.level, a) : space_->cells(leaf.level, a);
  Interval held = between_faces(leaf, axis);
  if (leaf.at[axis] == 0) held.lower = -infinity;
  if (leaf.at[axis] + 1 == leaves) held.upper = infinity;
  return held;
}

std::vector<double> LeafGrid::faces(const Piece& leaf, std::size_t axis) const {
  const Interval all = between_faces(leaf, axis);
  std::vector<double> faces(static_cast<std::size_t>(p_) + 1, all.upper);
  for (int i = 0; i < p_; ++i)
    faces[static_cast<std::size_t>(i)] = all.lower + i * ((all.upper - all.lower) / p_);
  return faces;
}

int LeafGrid::volume(std::span<const double> faces, double x) {
  const auto above = std::ranges::upper_bound(faces, x);
  return std::clamp(static_cast<int>(above - faces.begin()) - 1, 0, static_cast<int>(faces.size()) - 2);
}

bool LeafGrid::restrict_to(Piece& piece, std::size_t axis, Interval interval) const {
  const std::vector<double> faces = this->faces(piece, axis);
  if (faces.back() <= interval.lower || faces.front() >= interval.upper) return false;
  const auto first = std::ranges::upper_bound(faces, interval.lower);  // the first face above
  const auto last = std::ranges::lower_bound(faces, interval.upper);   // the first face not below
  piece.lower[axis] = std::max(0, static_cast<int>(first - faces.begin()) - 1);
  piece.extent[axis] = std::min(p_, static_cast<int>(last - faces.begin())) - piece.lower[axis];
  return piece.extent[axis] > 0;
}

std::vector<Piece> whole_leaves(std::span<const int> levels, std::span<const Vec<int, 3>> indices, int dims,
                                int patch_size) {
  std::vector<Piece> leaves(levels.size());
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves[leaf].level = levels[leaf];
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a) {
      leaves[leaf].at[a] = indices[leaf][a];
      leaves[leaf].extent[a] = patch_size;
    }
  }
  return leaves;
}

}  // namespace meander::simulation
