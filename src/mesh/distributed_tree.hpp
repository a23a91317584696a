// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree of all ranks. A rank holds its own leaves, which may be none, and the table of all pieces. Algorithms obtain
// data about the leaves of other ranks by messages.
//
// The leaves of a rank form one piece of the Peano curve. Or, in a placed tree, one piece of the leaves of each level (LevelCuts).
// Such a tree is for steps only, and holds the tree of whose leaves it is a placement: that one is adapted, balanced and cut.
//
// Local algorithms are not aware of this: a rank completes its leaves to a tree of the whole domain by the
// coarsest possible cells (Sundar, Sampath, Biros 2008), and runs them on that tree.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mesh/partition.hpp"
#include "mesh/spacetree.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

// The coarsest tree of the domain that contains `leaves` (disjoint, in curve order, within the domain). Sets
// (*index)[i] to the number of leaves[i] in that tree.
template <int D>
Spacetree<D> complete_tree(const Domain<D>& domain, std::span<const Key<D>> leaves,
                           std::vector<std::size_t>* index = nullptr);

template <int D>
class DistributedTree {
 public:
  // All leaves on `level`, cut evenly. Collective.
  static DistributedTree uniform(const Domain<D>& domain, int level,
                                 const parallel::Communicator& communicator);
  // From the leaves of each rank. Concatenated by rank they tile the domain in curve order. Collective.
  DistributedTree(const Domain<D>& domain, std::vector<Key<D>> leaves,
                  const parallel::Communicator& communicator);
  // With a table of all pieces that is known and correct. Not collective.
  DistributedTree(const Domain<D>& domain, std::vector<Key<D>> leaves, const Partition<D>& partition,
                  const parallel::Communicator& communicator);
  // As the first constructor, for unchecked input: returns nullopt on all ranks if the leaves do not tile the
  // domain in curve order. Collective.
  static std::optional<DistributedTree> checked(const Domain<D>& domain, std::vector<Key<D>> leaves,
                                                const parallel::Communicator& communicator);

  const Domain<D>& domain() const { return domain_; }
  const parallel::Communicator& communicator() const { return communicator_; }
  const Partition<D>& partition() const { return partition_; }
  std::span<const Key<D>> leaves() const { return leaves_; }  // this rank's
  std::size_t size() const { return leaves_.size(); }
  std::int64_t global_size() const { return partition_.leaves(); }
  // The number along the curve of a leaf of this rank.
  std::int64_t number(std::size_t leaf) const {
    return placement_ ? placement_->numbers[leaf]
                      : partition_.first_leaf(communicator_.rank()) + static_cast<std::int64_t>(leaf);
  }
  // The rank of a leaf, or of a cell that is refined in this tree or a leaf of one that is cut off below its level. Of a tree
  // that is not placed: that of its first leaf.
  int owner(Key<D> cell) const {
    return placement_ ? placement_->cuts.owner(cell) : partition_.owner(position_of(cell));
  }

  // The same leaves on the ranks that `cuts` gives. Collective; calls exchanges only.
  DistributedTree placed(const LevelCuts<D>& cuts) const;
  bool is_placed() const { return placement_ != nullptr; }
  // Of a placed tree: the tree that it places, and by what. That tree has the same leaves and partition().
  const DistributedTree& curve() const { return placement_ ? placement_->curve : *this; }
  const LevelCuts<D>* cuts() const { return placement_ ? &placement_->cuts : nullptr; }

  // All that follows: of trees that are not placed.
  std::int64_t first_leaf() const { return partition_.first_leaf(communicator_.rank()); }

  // A table of first leaves with which every family whose 3^D leaves are all flagged for coarsening (within
  // the levels of Spacetree::adapted) lies on one rank, that of its first leaf. Returns
  // partition().first_leaves() if all do already. `adapt` has one entry for each leaf of this rank.
  // Collective.
  std::vector<std::int64_t> families_united(std::span<const Adapt> adapt, int min_level, int max_level) const;

  // Moves the leaves to the ranks given by a new table of first leaves. Collective.
  DistributedTree repartitioned(std::span<const std::int64_t> first_leaves) const;

  // As Spacetree::adapted() and balanced(), with identical leaves for any number of ranks. Requires that
  // families to be coarsened lie on one rank each (families_united()). New leaves stay on the rank of the old
  // ones. Collective.
  DistributedTree adapted(std::span<const Adapt> adapt, int min_level, int max_level) const;
  DistributedTree balanced() const;

  // As refined_where() and coarsened_where() of refine.hpp. Families that lie on several ranks are not
  // coarsened. Collective.
  template <class Where>
  DistributedTree refined_where(int max_level, Where&& where) const;
  template <class Where>
  DistributedTree coarsened_where(Where&& where) const;

  // For each point, its rank, and its leaf if that rank is this one. The rank is -1 outside the domain; the
  // leaf is -1 there and on other ranks. Not collective.
  void find(std::span<const Point<D>> points, std::span<std::int32_t> ranks,
            std::span<std::int32_t> leaves) const;

  // Whether the pieces tile the domain and the table is correct. All ranks return the same. Collective.
  bool is_valid() const;
  bool is_balanced() const;

 private:
  struct Placement;
  struct Unchecked {};
  DistributedTree(Unchecked, const Domain<D>& domain, std::vector<Key<D>> leaves,
                  const parallel::Communicator& communicator);

  Domain<D> domain_;
  parallel::Communicator communicator_;
  std::vector<Key<D>> leaves_;
  Partition<D> partition_;
  std::shared_ptr<const Placement> placement_;  // null: not placed
};

template <int D>
struct DistributedTree<D>::Placement {
  DistributedTree curve;
  LevelCuts<D> cuts;
  std::vector<std::int64_t> numbers;  // of own leaves along the curve
};

// The leaves of other ranks that touch leaves of this rank by a face, edge or corner (also across periodic
// borders), and the leaves of this rank that are in the ghost layers of its neighbours. Requires a balanced
// tree.
template <int D>
struct GhostLayer {
  struct Neighbour {
    int rank = 0;
    std::size_t begin = 0, end = 0;     // its leaves: leaves[begin, end)
    std::vector<std::int32_t> mirrors;  // this rank's leaves, ascending, that are in its layer
  };
  std::vector<Key<D>> leaves;         // by rank, those of a rank in curve order
  std::vector<Neighbour> neighbours;  // by rank

  // Collective.
  static GhostLayer of(const DistributedTree<D>& tree);

  // Takes one value for each leaf of this rank and returns one for each ghost. Collective among neighbours.
  template <class T>
  std::vector<T> exchange(const parallel::Communicator& communicator, std::span<const T> own) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> ghosts(leaves.size());
    exchange_bytes(communicator, sizeof(T), std::as_bytes(own), std::as_writable_bytes(std::span(ghosts)));
    return ghosts;
  }

 private:
  void exchange_bytes(const parallel::Communicator& communicator, std::size_t item,
                      std::span<const std::byte> own, std::span<std::byte> ghosts) const;
};

}  // namespace meander::mesh
