// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/coarse_reads.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/halo_reads.hpp"

namespace meander::mesh {

template <int D>
solvers::Box<D> CoarseRead<D>::box() const {
  solvers::Box<D> box{lower, {}};
  for (std::size_t a = 0; a < D; ++a) box.extent[a] = upper[a] - lower[a];
  return box;
}

template <int D>
Index<D> CoarseRead<D>::shift(const solvers::PatchLayout& layout) const {
  Index<D> shift = offset_of<D>(direction);
  for (int& s : shift) s *= -layout.p;
  return shift;
}

template <int D>
std::size_t CoarseRead<D>::doubles(const solvers::PatchLayout& layout) const {
  if (is_finer) return solvers::part_size<D>(layout, child, restriction(layout));
  return box().volumes() * static_cast<std::size_t>(layout.unknowns);
}

template <int D>
const std::vector<CoarseRead<D>>& CoarseReads<D>::reads_of(std::int32_t coarse, const solvers::Box<D>& box) {
  found_.clear();
  const int p = layout_.p;
  const auto& neighbours = view_.neighbours();
  for (int direction = 0; direction < children<D>; ++direction) {
    const Index<D> offset = offset_of<D>(direction);
    CoarseRead<D> read;
    read.coarse = coarse;
    read.direction = direction;
    bool is_empty = false;
    for (std::size_t a = 0; a < D; ++a) {
      const int begin = offset[a] < 0 ? -layout_.h : offset[a] * p, end = offset[a] < 0 ? 0 : begin + p;
      read.lower[a] = std::max(box.lower[a], begin);
      read.upper[a] = std::min(box.lower[a] + box.extent[a], end);
      is_empty = is_empty || read.lower[a] >= read.upper[a];
    }
    if (is_empty) continue;
    const Neighbour neighbour = neighbours.of(coarse, direction);
    if (neighbour.is_refined()) {
      add_children(read);
      continue;
    }
    if (neighbour.is_leaf()) {
      const Cell<D>& cell = neighbours.cells()[static_cast<std::size_t>(neighbour.leaf())];
      MEANDER_ASSERT(cell.level == neighbours.cells()[static_cast<std::size_t>(coarse)].level);
      read.rank = view_.rank(neighbour.leaf());
      read.source = key_of<D>(cell);
      MEANDER_ASSERT(read.rank >= 0);
    }
    found_.push_back(read);
  }
  return found_;
}

// Adds the children of a refined cell that intersect the box. They touch the coarse leaf, so they are leaves,
// but they may lie outside the ghost layer.
template <int D>
void CoarseReads<D>::add_children(const CoarseRead<D>& read) {
  const Cell<D>& coarse = view_.neighbours().cells()[static_cast<std::size_t>(read.coarse)];
  const Index<D> offset = offset_of<D>(read.direction);
  for (int position = 0; position < children<D>; ++position) {
    CoarseRead<D> of_child = read;
    for (int a = 0, rest = position; a < D; ++a, rest /= 3)
      of_child.child[static_cast<std::size_t>(a)] = rest % 3;
    const auto share = solvers::share_of<D>(layout_, of_child.child, read.restriction(layout_));
    if (share.volumes() == 0) continue;
    Cell<D> cell{{}, coarse.level + 1};
    for (std::size_t a = 0; a < D; ++a) {
      const int cells = tree_.domain().cells(coarse.level, static_cast<int>(a));
      cell.at[a] = 3 * ((coarse.at[a] + offset[a] + cells) % cells) + of_child.child[a];
      of_child.lower[a] = share.lower[a];
      of_child.upper[a] = share.lower[a] + share.extent[a];
    }
    of_child.is_finer = true;
    of_child.source = key_of<D>(cell);
    of_child.rank = tree_.owner(of_child.source);
    found_.push_back(of_child);
  }
}

template <int D>
void CoarseReads<D>::add(const CoarseRead<D>& read, int direction) {
  // Reads of the interior are merged by the side of the fine leaves.
  const int side = read.direction == CoarseRead<D>::interior ? children<D> + direction : read.direction;
  auto& same_side =
      sides_[static_cast<std::uint64_t>(read.coarse) * 2 * children<D> + static_cast<std::uint64_t>(side)];
  for (const std::size_t index : same_side) {
    CoarseRead<D>& known = all_[index];
    if (known.source != read.source) continue;
    for (std::size_t a = 0; a < D; ++a) {
      known.lower[a] = std::min(known.lower[a], read.lower[a]);
      known.upper[a] = std::max(known.upper[a], read.upper[a]);
    }
    return;
  }
  same_side.push_back(all_.size());
  all_.push_back(read);
}

template struct CoarseRead<2>;
template struct CoarseRead<3>;
template class CoarseReads<2>;
template class CoarseReads<3>;

}  // namespace meander::mesh
