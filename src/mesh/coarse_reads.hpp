// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What prolongation into the halos of fine leaves reads of coarse slots: of the interior of the coarse leaf,
// and, where unknowns are point values, of its halo.
//
// A fine leaf F of level l + 1 reads a coarse leaf C of level l, and at most solvers::interpolation_reach()
// volumes around it and beside F. F's parent is refined and touches C, so by balance over faces, edges and
// corners all cells of level l around that parent are leaves or refined; and as long as a third of a patch is
// at least the reach (p >= 3 h), these are all the cells that are read. Hence nothing that is read was itself
// prolonged: two phases fill all halos, whatever the number of levels.
//
// Not all leaves that are read touch F: across C's side faces, for one, children of a refined cell up to four
// coarse volumes (twelve fine ones) deep are read. So the rank of F asks that of C, which knows what touches
// C, and the ranks of the leaves that are read are told.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mesh/halo_plan.hpp"

namespace meander::mesh {

// A box of the slot of `coarse` that lies in the interior of one leaf, the source: `coarse` itself, a
// neighbour of its level, or one finer by a level; or beyond the domain.
template <int D>
struct CoarseRead {
  static constexpr int interior = children<D> / 2;  // as a direction
  static constexpr int outside = -1;                // as a rank

  std::int32_t coarse = 0;   // leaf of the view
  int direction = interior;  // in which the box lies
  int rank = outside;        // that holds the source
  Key<D> source{};
  bool is_finer = false;      // the source
  Index<D> child{};           // if it is: its position in the refined cell
  Index<D> lower{}, upper{};  // in indices of `coarse`; [lower, upper)

  solvers::Box<D> box() const;
  // From indices of `coarse` to those of the cell in `direction`.
  Index<D> shift(const solvers::PatchLayout& layout) const;
  solvers::Restriction<D> restriction(const solvers::PatchLayout& layout) const {
    return {box(), shift(layout)};
  }
  // Of the read in a message.
  std::size_t doubles(const solvers::PatchLayout& layout) const;
};

// Reads of the same source on the same side of the same coarse leaf are united, in the order in which they
// came.
template <int D>
class CoarseReads {
 public:
  // All outlive this.
  CoarseReads(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::PatchLayout& layout)
      : tree_(tree), view_(view), layout_(layout) {}

  // What of the slot of leaf `coarse` lies in the box, by sources. The leaf is an own one, or the box in its
  // interior. Until the next call.
  const std::vector<CoarseRead<D>>& reads_of(std::int32_t coarse, const solvers::Box<D>& box);

  // Adds a read for a halo in that direction from the fine leaf.
  void add(const CoarseRead<D>& read, int direction);

  const std::vector<CoarseRead<D>>& all() const { return all_; }

 private:
  void add_children(const CoarseRead<D>& read);

  const DistributedTree<D>& tree_;
  const LocalView<D>& view_;
  const solvers::PatchLayout& layout_;
  std::vector<CoarseRead<D>> all_, found_;
  // By coarse leaf and side: indices into all_.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> sides_;
};

}  // namespace meander::mesh
