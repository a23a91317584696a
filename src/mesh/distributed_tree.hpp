// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree of all ranks: each holds its own leaves, one contiguous piece of the Peano curve, and the
// table of pieces. A rank may have none. All that an algorithm needs of other ranks' leaves it asks for by
// messages.
//
// The local algorithms need not know: a rank completes its leaves to a tree of the whole domain by the
// fewest, that is coarsest, cells (Sundar, Sampath, Biros 2008), and runs them on that.

#include <optional>
#include <span>
#include <vector>

#include "mesh/partition.hpp"
#include "mesh/spacetree.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

// The coarsest tree of the domain that holds `leaves` (disjoint, in curve order, within the domain).
// (*index)[i] becomes the number in it of leaves[i].
template <int D>
Spacetree<D> complete_tree(const Domain<D>& domain, std::span<const Key<D>> leaves,
                           std::vector<std::size_t>* index = nullptr);

template <int D>
class DistributedTree {
 public:
  // All leaves on `level`, cut evenly. Collective.
  static DistributedTree uniform(const Domain<D>& domain, int level,
                                 const parallel::Communicator& communicator);
  // From each rank's leaves, which together, rank after rank, tile the domain in curve order. Collective.
  DistributedTree(const Domain<D>& domain, std::vector<Key<D>> leaves,
                  const parallel::Communicator& communicator);
  // The same of leaves from elsewhere: none, on all ranks, if they do not tile the domain in curve order.
  // Collective.
  static std::optional<DistributedTree> checked(const Domain<D>& domain, std::vector<Key<D>> leaves,
                                                const parallel::Communicator& communicator);

  const Domain<D>& domain() const { return domain_; }
  const parallel::Communicator& communicator() const { return communicator_; }
  const Partition<D>& partition() const { return partition_; }
  std::span<const Key<D>> leaves() const { return leaves_; }  // this rank's
  std::size_t size() const { return leaves_.size(); }
  std::int64_t global_size() const { return partition_.leaves(); }
  std::int64_t first_leaf() const { return partition_.first_leaf(communicator_.rank()); }

  // The table of first leaves after which every family whose 3^D leaves all want to be coarsened (and may:
  // see Spacetree::adapted for the levels) lies on one rank, that of its first leaf;
  // partition().first_leaves() if they do already. `adapt` has one entry a leaf of this rank. Collective.
  std::vector<std::int64_t> families_united(std::span<const Adapt> adapt, int min_level, int max_level) const;

  // The same leaves, cut elsewhere. Collective.
  DistributedTree repartitioned(std::span<const std::int64_t> first_leaves) const;

  // As Spacetree::adapted() and balanced(), the same leaves for any number of ranks. Families to be coarsened
  // lie on one rank each (families_united()). New leaves stay where the old ones were. Collective.
  DistributedTree adapted(std::span<const Adapt> adapt, int min_level, int max_level) const;
  DistributedTree balanced() const;

  // As refined_where() and coarsened_where() of refine.hpp; families that lie on several ranks are not
  // coarsened. Collective.
  template <class Where>
  DistributedTree refined_where(int max_level, Where&& where) const;
  template <class Where>
  DistributedTree coarsened_where(Where&& where) const;

  // The rank that holds the point, and the leaf there if it is this one; -1 outside the domain, and for
  // leaves of others. Not collective.
  void find(std::span<const Point<D>> points, std::span<std::int32_t> ranks,
            std::span<std::int32_t> leaves) const;

  // Whether the pieces tile the domain and the table is right; the same answer everywhere. Collective.
  bool is_valid() const;
  bool is_balanced() const;

 private:
  struct Unchecked {};
  DistributedTree(Unchecked, const Domain<D>& domain, std::vector<Key<D>> leaves,
                  const parallel::Communicator& communicator);

  Domain<D> domain_;
  parallel::Communicator communicator_;
  std::vector<Key<D>> leaves_;
  Partition<D> partition_;
};

// The leaves of other ranks that touch this rank's by a face, edge or corner (across periodic borders too),
// and for each neighbour rank those of this rank's leaves that it has in its layer. Of a balanced tree.
template <int D>
struct GhostLayer {
  struct Neighbour {
    int rank = 0;
    std::size_t begin = 0, end = 0;     // its leaves: leaves[begin, end)
    std::vector<std::int32_t> mirrors;  // this rank's leaves, ascending, that are in its layer
  };
  std::vector<Key<D>> leaves;         // in curve order
  std::vector<Neighbour> neighbours;  // by rank

  // Collective.
  static GhostLayer of(const DistributedTree<D>& tree);

  // One value a leaf of this rank in, one value a ghost out. Collective among neighbours.
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
