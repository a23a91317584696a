// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The leaves at the border of a rank's piece: a descent from the base cells that knows the ranks of every
// cell and of the 3^d cells around it, and stops where all belong to this rank and in cells without leaves of
// this rank. The cost is therefore that of this rank's border only, whatever the number of ranks. Touching is symmetric: a rank receives border leaves from exactly the ranks to which it
// sends its own.
//
// In a placed tree leaves of any rank may touch in any place. The rank that holds a leaf on the curve finds those that touch it,
// and tells the ranks on which the tree places the two.

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/assert.hpp"
#include "mesh/child_block.hpp"
#include "mesh/distributed_tree.hpp"
#include "mesh/domain.hpp"
#include "mesh/halo_reads.hpp"
#include "mesh/local_view.hpp"
#include "parallel/communicator.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {
namespace {

// The rank of a cell; Neighbour::outside_code; or negative, for a cell that several ranks share.
using Code = std::int32_t;

template <int D>
class Border {
 public:
  explicit Border(const DistributedTree<D>& tree)
      : domain_(tree.domain()),
        partition_(tree.partition()),
        leaves_(tree.leaves()),
        own_(tree.communicator().rank()) {}

  // For each neighbouring rank, ascending, the own leaves in its ghost layer, ascending.
  std::vector<parallel::Parcel<std::int32_t>> find() {
    Brick<D> brick(domain_);
    visit_base_cells(domain_, [&](const BaseCell<D>& base) {
      brick[Packed<D>::at(base.cursor.at)] = code_of(base.key, base.cursor);
      return true;
    });
    brick.close();
    visit_base_cells(domain_, [&](const BaseCell<D>& base) {
      const auto around = brick.around(Packed<D>::at(base.cursor.at));
      visit(base.key, base.cursor, around);
      return true;
    });
    std::ranges::sort(wanted_by_, {}, &parallel::Parcel<std::int32_t>::rank);
    return std::move(wanted_by_);
  }

 private:
  // A cell with leaves of several ranks, which is therefore refined, and the codes of its children by
  // position.
  struct Shared {
    Key<D> key;
    Cursor<D> cursor;
    bool is_known = false;
    std::array<Code, children<D>> below{};
  };

  static bool is_shared(Code code) { return code < 0 && code != Neighbour::outside_code; }

  Code code_of(Key<D> cell, const Cursor<D>& cursor) {
    const int rank = partition_.owner(position_of(cell));
    const std::uint64_t after = cell.level() == 0 ? Partition<D>::no_position : position_after(cell);
    if (partition_.first_position(rank + 1) >= after) return rank;
    shared_.push_back({cell, cursor});
    return -static_cast<Code>(shared_.size());
  }

  bool holds_own_leaves(Key<D> cell) const {
    const std::uint64_t after = cell.level() == 0 ? Partition<D>::no_position : position_after(cell);
    return !leaves_.empty() && partition_.first_position(own_) < after &&
           position_of(cell) < partition_.first_position(own_ + 1);
  }

  const Code* children_of(Code code) {
    if (!is_shared(code)) return nullptr;
    Shared& cell = shared_[static_cast<std::size_t>(-1 - code)];
    if (!cell.is_known) {
      for (int digit = 0; digit < children<D>; ++digit) {
        const int position = cell.cursor.position(digit);
        cell.below[static_cast<std::size_t>(position)] =
            code_of(cell.key.child(digit), cell.cursor.child_at(position));
      }
      cell.is_known = true;
    }
    return cell.below.data();
  }

  void visit(Key<D> cell, const Cursor<D>& cursor, const std::array<Code, children<D>>& around) {
    const Code own = around[children<D> / 2];
    if (own != own_ && !(is_shared(own) && holds_own_leaves(cell))) return;
    const bool is_inner = std::all_of(around.begin(), around.end(), [&](Code code) {
      return code == own_ || code == Neighbour::outside_code;
    });
    if (is_inner) return;
    if (own == own_) {
      skip_to(cell);
      if (leaves_[next_].level() == cell.level()) return visit_leaf(around);
    }
    BlockCodes<D> block;
    fill_block<D>(
        around.data(), [&](Code code) { return children_of(code); }, block);
    for (int digit = 0; digit < children<D>; ++digit) {
      const int position = cursor.position(digit);
      std::array<Code, children<D>> below;
      copy_neighbourhood<D>(block, static_cast<std::size_t>(position), below.data());
      visit(cell.child(digit), cursor.child_at(position), below);
    }
  }

  // Advances to the first leaf in a cell of this rank.
  void skip_to(Key<D> cell) {
    std::size_t step = 1;
    for (; next_ + step < leaves_.size() && leaves_[next_ + step] < cell; step *= 2) next_ += step;
    const auto begin = leaves_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto end = leaves_.begin() + static_cast<std::ptrdiff_t>(std::min(next_ + step, leaves_.size()));
    next_ = static_cast<std::size_t>(std::lower_bound(begin, end, cell) - leaves_.begin());
    MEANDER_ASSERT(next_ < leaves_.size() && cell.contains(leaves_[next_]));
  }

  void visit_leaf(const std::array<Code, children<D>>& around) {
    static constexpr auto at_side = children_at_sides<D>();
    for (std::size_t direction = 0; direction < children<D>; ++direction) {
      const Code code = around[direction];
      const Code* const below = children_of(code);
      if (below == nullptr) {
        wanted_by(code);
        continue;
      }
      const std::uint32_t near = at_side[children<D> - 1 - direction];
      for (std::size_t p = 0; p < children<D>; ++p) {
        if ((near >> p & 1u) == 0) continue;
        MEANDER_ASSERT(!is_shared(below[p]));  // else the tree is not balanced
        wanted_by(below[p]);
      }
    }
  }

  void wanted_by(Code rank) {
    if (rank == own_ || rank < 0) return;
    const auto [found, is_new] = number_of_.try_emplace(rank, wanted_by_.size());
    if (is_new) wanted_by_.push_back({rank, {}});
    auto& wanted = wanted_by_[found->second].items;
    const auto leaf = static_cast<std::int32_t>(next_);
    if (wanted.empty() || wanted.back() != leaf) wanted.push_back(leaf);
  }

  const Domain<D>& domain_;
  const Partition<D>& partition_;
  std::span<const Key<D>> leaves_;
  Code own_;
  std::vector<parallel::Parcel<std::int32_t>> wanted_by_;  // only ranks that touch this one
  std::unordered_map<Code, std::size_t> number_of_;        // in wanted_by_, by rank
  std::deque<Shared> shared_;  // a deque: it grows while references to elements are in use
  std::size_t next_ = 0;       // the leaf that the walk has reached
};

// A leaf, and one of another rank that touches it.
template <int D>
struct Touching {
  Key<D> own, ghost;
  int rank = 0;  // of the ghost
  friend auto operator<=>(const Touching& a, const Touching& b) {
    return std::tuple(a.rank, a.ghost, a.own) <=> std::tuple(b.rank, b.ghost, b.own);
  }
  friend bool operator==(const Touching& a, const Touching& b) { return (a <=> b) == 0; }
};

// Of the leaves of this rank in a placed tree, in the order of ghosts. Collective.
template <int D>
std::vector<Touching<D>> touching_leaves(const DistributedTree<D>& tree) {
  const LocalView<D> view(tree.curve());
  const auto cells = view.neighbours().cells();
  std::map<int, std::vector<Touching<D>>> told;
  std::vector<FineSource<D>> finer;
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    const Key<D> key = tree.curve().leaves()[leaf];
    const int rank = tree.owner(key);
    const auto add = [&](std::int32_t other) {
      const Key<D> ghost = key_of<D>(cells[static_cast<std::size_t>(other)]);
      if (const int of_ghost = tree.owner(ghost); of_ghost != rank)
        told[rank].push_back({key, ghost, of_ghost});
    };
    for (int direction = 0; direction < children<D>; ++direction) {
      const Neighbour neighbour = view.neighbours().of(static_cast<std::int32_t>(leaf), direction);
      if (neighbour.is_leaf()) add(neighbour.leaf());
      if (!neighbour.is_refined()) continue;
      touching_children<D>(view, neighbour.refined_cell(), offset_of<D>(direction), finer);
      for (const FineSource<D>& child : finer) add(child.leaf);
    }
  }
  for (auto& [rank, items] : told) {
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  auto found = parallel::deliver(tree.communicator(), std::move(told));
  std::ranges::sort(found);
  return found;
}

template <int D>
GhostLayer<D> layer_of_placed(const DistributedTree<D>& tree) {
  GhostLayer<D> result;
  for (const Touching<D>& pair : touching_leaves(tree)) {
    if (result.neighbours.empty() || result.neighbours.back().rank != pair.rank)
      result.neighbours.push_back({pair.rank, result.leaves.size(), result.leaves.size(), {}});
    auto& neighbour = result.neighbours.back();
    if (neighbour.begin == neighbour.end || result.leaves.back() != pair.ghost) {
      result.leaves.push_back(pair.ghost);
      ++neighbour.end;
    }
    const auto own = std::ranges::lower_bound(tree.leaves(), pair.own);
    MEANDER_ASSERT(own != tree.leaves().end() && *own == pair.own);
    neighbour.mirrors.push_back(static_cast<std::int32_t>(own - tree.leaves().begin()));
  }
  for (auto& neighbour : result.neighbours) {
    auto& mirrors = neighbour.mirrors;
    std::ranges::sort(mirrors);
    mirrors.erase(std::unique(mirrors.begin(), mirrors.end()), mirrors.end());
  }
  return result;
}

}  // namespace

template <int D>
GhostLayer<D> GhostLayer<D>::of(const DistributedTree<D>& tree) {
  GhostLayer result;
  const auto& communicator = tree.communicator();
  if (communicator.size() == 1) return result;
  if (tree.is_placed()) return layer_of_placed(tree);
  std::vector<parallel::Parcel<Key<D>>> out;
  for (auto& wanted : Border<D>(tree).find()) {
    auto& parcel = out.emplace_back(parallel::Parcel<Key<D>>{wanted.rank, {}});
    for (const std::int32_t leaf : wanted.items)
      parcel.items.push_back(tree.leaves()[static_cast<std::size_t>(leaf)]);
    result.neighbours.push_back({wanted.rank, 0, 0, std::move(wanted.items)});
  }
  const auto in = parallel::exchange_symmetrically(communicator, out);
  MEANDER_ASSERT(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    MEANDER_ASSERT(in[i].rank == result.neighbours[i].rank);
    result.neighbours[i].begin = result.leaves.size();
    result.leaves.insert(result.leaves.end(), in[i].items.begin(), in[i].items.end());
    result.neighbours[i].end = result.leaves.size();
  }
  return result;
}

template <int D>
void GhostLayer<D>::exchange_bytes(const parallel::Communicator& communicator, std::size_t item,
                                   std::span<const std::byte> own, std::span<std::byte> ghosts) const {
  if (neighbours.empty()) return;  // a single rank may run without MPI
  std::vector<MPI_Request> requests(2 * neighbours.size(), MPI_REQUEST_NULL);
  std::vector<std::vector<std::byte>> messages(neighbours.size());
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Neighbour& neighbour = neighbours[i];
    const std::size_t bytes = (neighbour.end - neighbour.begin) * item;
    parallel::mpi_check(
        MPI_Irecv(ghosts.data() + neighbour.begin * item, static_cast<int>(bytes), MPI_BYTE, neighbour.rank,
                  parallel::tag_of_ghost_values, communicator.get(), &requests[2 * i]),
        "MPI_Irecv");
  }
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Neighbour& neighbour = neighbours[i];
    auto& message = messages[i];
    message.resize(neighbour.mirrors.size() * item);
    for (std::size_t m = 0; m < neighbour.mirrors.size(); ++m) {
      std::memcpy(message.data() + m * item,
                  own.data() + static_cast<std::size_t>(neighbour.mirrors[m]) * item, item);
    }
    parallel::mpi_check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, neighbour.rank,
                                  parallel::tag_of_ghost_values, communicator.get(), &requests[2 * i + 1]),
                        "MPI_Isend");
  }
  parallel::mpi_check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "MPI_Waitall");
}

template struct GhostLayer<2>;
template struct GhostLayer<3>;

}  // namespace meander::mesh
