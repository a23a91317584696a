// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The volumes of coarse slots from which prolongation at a resolution jump interpolates the halos of fine
// leaves: in the interior of the coarse leaf and, where unknowns are point values, in its halo.
//
// A fine leaf F of level l + 1 reads a coarse leaf C of level l, and at most solvers::interpolation_reach()
// volumes around C and beside F. F's parent is refined and touches C. By balance over faces, edges and
// corners, all cells of level l around that parent are therefore leaves or refined. If a third of a patch is
// at least the reach (p >= 3 h), no other cells are read. Hence no volume that is read was itself prolonged:
// two phases fill all halos for any number of levels.
//
// Not every leaf that is read touches F: across C's side faces, children of a refined cell are read up to a
// depth of four coarse volumes (twelve fine ones). The rank of F therefore queries the rank of C, which knows
// all leaves that touch C, and then sends requests to the ranks of the leaves that are read.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mesh/halo_plan.hpp"

namespace meander::mesh {

// A box of the slot of `coarse` whose values come from the interior of one leaf, the source: `coarse` itself,
// a neighbour of the same level, or a neighbour finer by one level. Or a box beyond the domain, without
// source.
template <int D>
struct CoarseRead {
  static constexpr int interior = children<D> / 2;  // as a direction
  static constexpr int outside = -1;                // as a rank

  std::int32_t coarse = 0;   // leaf of the view
  int direction = interior;  // of the box
  int rank = outside;        // of the source
  Key<D> source{};
  bool is_finer = false;      // the source than `coarse`
  Index<D> child{};           // of a finer source: position in the refined cell
  Index<D> lower{}, upper{};  // in indices of `coarse`; [lower, upper)

  solvers::Box<D> box() const;
  // Added to indices of `coarse`, gives indices of the cell in `direction`.
  Index<D> shift(const solvers::PatchLayout& layout) const;
  solvers::Restriction<D> restriction(const solvers::PatchLayout& layout) const {
    return {box(), shift(layout)};
  }
  // Size of the values in a message.
  std::size_t doubles(const solvers::PatchLayout& layout) const;
};

// A collection of reads. Reads of one source on one side of one coarse leaf are merged; the order is that of
// the first calls of add().
template <int D>
class CoarseReads {
 public:
  // All outlive this.
  CoarseReads(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::PatchLayout& layout)
      : tree_(tree), view_(view), layout_(layout) {}

  // The reads that a box of the slot of `coarse` consists of, one a source. Requires that the leaf is an own
  // one or the box lies in its interior. Valid until the next call.
  const std::vector<CoarseRead<D>>& reads_of(std::int32_t coarse, const solvers::Box<D>& box);

  // Adds a read for the halo of a fine leaf. `direction`: of the halo, seen from the fine leaf.
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
