// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mesh cut off below one level, for local time steps of point values: a tree whose leaves are the leaves
// of that level and of coarser ones, and the refined cells of that level, which have patches of their own
// here. Of these, shadows touch a leaf of the level by a face, edge or corner. They advance with the level, so
// that its leaves find halos at every stage while finer levels stand at an earlier time. Their own halos end
// in refined cells that stay at the beginning of the step: with p >= 3 h, no stage of a leaf sees that.
//
// A refined cell belongs to the rank of its first child, or, in a placed tree, to that which its level's cut gives.

#include <algorithm>
#include <memory_resource>
#include <span>
#include <vector>

#include "mesh/boundary_condition.hpp"
#include "mesh/local_view.hpp"
#include "mesh/patch_pool.hpp"
#include "mesh/residence.hpp"
#include "mesh/spacetree.hpp"
#include "parallel/neighbour_messages.hpp"
#include "solvers/restriction.hpp"
#include "solvers/solver.hpp"

namespace meander {
class ThreadTeam;
}

namespace meander::mesh {

enum class CellKind : char { leaf, refined, shadow };

// A tree with the patches of a rank: the mesh, or a cut one. patches: of all leaves of the view, own ones with
// slots; leaf_of_mesh: by own leaf, its number in the mesh, or -1 for a refined cell.
template <int D>
struct TreePatches {
  const DistributedTree<D>* tree = nullptr;
  const LocalView<D>* view = nullptr;
  std::span<const solvers::PatchTask> patches;
  std::span<const std::int32_t> leaf_of_mesh;
  std::span<const CellKind> kinds;  // of all leaves of the view; empty: all are leaves

  int level(std::size_t leaf) const { return view->neighbours().cells()[leaf].level; }
};

template <int D>
class CutTree {
 public:
  // Cuts one more level off: `finer` is the mesh, if its finest level is level + 1, or the tree cut at
  // level + 1. All outlive this. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  CutTree(const TreePatches<D>& finer, int level, const solvers::Traits& traits,
          const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
          std::pmr::memory_resource& message_memory, Residence residence);

  TreePatches<D> patches() const { return {&tree_, &view_, patches_, leaf_of_mesh_, kinds_}; }

  // Sets the interiors of all refined cells to the state of their children, those of the finer tree.
  // Collective among neighbours. In two parts: the first sends and does what needs no messages, the second waits
  // for messages.
  void start_restriction(ThreadTeam& team);
  void finish_restriction(ThreadTeam& team);
  parallel::NeighbourMessages& messages() { return messages_; }

  // For work on devices: the refined cells in curve order, and what is sent of finer leaves.
  struct Child {
    std::int32_t leaf = -1;  // of the finer tree; -1: of another rank
    Index<D> position{};     // in the refined cell
    std::size_t offset = 0;  // in the receive buffer
  };
  struct Refined {
    std::int32_t leaf = 0;  // of this tree
    bool waits = false;     // some children are of other ranks
    std::vector<Child> children;
  };
  struct Sent {
    std::int32_t leaf = 0;  // of the finer tree
    Index<D> position{};
    std::size_t offset = 0;
  };
  std::span<const Refined> refined() const { return refined_; }
  std::span<const Sent> sent() const { return sent_; }

  std::size_t bytes() const {
    return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + 2 * messages_.sent_bytes() +
           view_.bytes();
  }

 private:
  static DistributedTree<D> cut(const DistributedTree<D>& finer, int level);
  void mark_kinds(int level);
  void plan_restriction(int level, std::pmr::memory_resource& message_memory);
  // Of the refined cells that wait, or of the others.
  void combine_children(bool waiting, ThreadTeam& team);
  solvers::Restriction<D> whole() const;

  TreePatches<D> finer_;
  solvers::PatchLayout layout_;
  DistributedTree<D> tree_;
  LocalView<D> view_;
  PatchPool pool_;
  std::vector<solvers::PatchTask> patches_;
  std::vector<std::int32_t> leaf_of_mesh_;
  std::vector<CellKind> kinds_;
  std::vector<Refined> refined_;
  std::vector<Sent> sent_;
  parallel::NeighbourMessages messages_;
};

// The slot of a patch with its stage blocks.
inline std::size_t slot_doubles(const solvers::PatchLayout& layout, const solvers::Traits& traits) {
  return static_cast<std::size_t>(layout.slot_size() + traits.stage_blocks * layout.stage_block_size());
}

// slot: of that cell, with stage blocks after it if has_stages; or null.
template <int D>
solvers::PatchTask patch_task(const Domain<D>& domain, const solvers::PatchLayout& layout,
                              const BoundaryFill<D>& boundaries, const Cell<D>& cell, double* slot,
                              bool has_stages) {
  solvers::PatchTask patch;
  patch.q = slot;
  if (slot != nullptr && has_stages) patch.stages = slot + layout.slot_size();
  patch.dx = domain.width(cell.level) / layout.p;
  const Point<D> lower = domain.lower_corner(cell);
  std::copy(lower.begin(), lower.end(), patch.lower);
  const int cells_of_base = ipow(3, cell.level - domain.base_level);
  for (std::size_t a = 0; a < D; ++a) {
    const int last = domain.base_cells[a] * cells_of_base - 1;
    for (std::size_t side = 0; side < 2; ++side) {
      if (boundaries.condition(static_cast<int>(2 * a + side)).radiative &&
          cell.at[a] == (side == 0 ? 0 : last))
        patch.radiative = static_cast<std::uint8_t>(patch.radiative | 1u << (2 * a + side));
    }
  }
  return patch;
}

}  // namespace meander::mesh
