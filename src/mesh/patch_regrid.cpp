// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Regridding of a patch mesh: adapts the tree, transfers the state, and repartitions if the ranks are
// imbalanced.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/assert.hpp"
#include "mesh/patch_mesh.hpp"
#include "parallel/communicator.hpp"
#include "parallel/message_tags.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"

namespace meander::mesh {
namespace {

// After coarsening, memory beyond this multiple of the held slots is freed.
constexpr double pool_slack = 1.1;

// Slots a message: enough for full bandwidth, few enough for the counts of MPI.
constexpr std::size_t slots_a_message = 256;

// An MPI type for a set of whole slots at any addresses, for use with MPI_BOTTOM.
class SlotsType {
 public:
  SlotsType(const PatchPool& pool, std::span<const int> slots) {
    std::vector<MPI_Aint> at(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
      parallel::mpi_check(MPI_Get_address(pool[slots[i]], &at[i]), "MPI_Get_address");
    parallel::mpi_check(
        MPI_Type_create_hindexed_block(static_cast<int>(at.size()), static_cast<int>(pool.slot_doubles()),
                                       at.data(), MPI_DOUBLE, &type_),
        "MPI_Type_create_hindexed_block");
    parallel::mpi_check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  // MPI keeps a freed type until messages that use it have completed.
  ~SlotsType() { MPI_Type_free(&type_); }
  SlotsType(const SlotsType&) = delete;
  SlotsType& operator=(const SlotsType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Marks the old leaves that are refined.
std::vector<char> refined_leaves(std::span<const Origin> origin, std::size_t old_leaves) {
  std::vector<char> marked(old_leaves, 0);
  for (const Origin& from : origin) {
    if (from.kind == Origin::Kind::refined) marked[static_cast<std::size_t>(from.old_leaf)] = 1;
  }
  return marked;
}

}  // namespace

template <int D>
bool PatchMesh<D>::adapt(std::span<const Adapt> adapt, int min_level, int max_level, double t,
                         ThreadTeam& team) {
  complete_halos(team);
  const bool changed = adapt_tree(adapt, min_level, max_level, t, team);
  // With steps by level, loads change although leaves do not.
  bool moves = false;
  if (changed || !level_steps_.steps.empty()) {
    const auto cut = balanced_cut(team.size());
    moves = !std::ranges::equal(cut, tree_.partition().first_leaves());
    if (moves) migrate(cut);
  }
  if (changed || moves) {
    // On a device slots keep their places.
    const std::vector<int> moved = device_ ? std::vector<int>{} : pool_.shrink(pool_slack);
    if (!moved.empty()) {
      for (int& slot : slots_) slot = moved[static_cast<std::size_t>(slot)];
    }
    std::fill(cost_.begin(), cost_.end(), 0.0);
    rebuild();
    if (is_current_on_device_) home_is_stale();
  }
  return changed;
}

template <int D>
bool PatchMesh<D>::adapt_tree(std::span<const Adapt> flags, int min_level, int max_level, double t,
                              ThreadTeam& team) {
  std::vector<Adapt> own(flags.begin(), flags.end());
  const auto united = tree_.families_united(flags, min_level, max_level);
  bool moved = false;
  if (!std::ranges::equal(united, tree_.partition().first_leaves())) {
    // All leaves that move are flagged for coarsening, so their flags need not be sent.
    const auto way = migration(tree_.partition().first_leaves(), united, communicator().rank());
    own.assign(static_cast<std::size_t>(united[static_cast<std::size_t>(communicator().rank()) + 1] -
                                        united[static_cast<std::size_t>(communicator().rank())]),
               Adapt::coarsen);
    for (const Piece& from : way.send) {
      if (from.rank != communicator().rank()) continue;
      for (const Piece& to : way.receive) {
        if (to.rank != communicator().rank()) continue;
        std::copy_n(flags.begin() + static_cast<std::ptrdiff_t>(from.begin), from.count,
                    own.begin() + static_cast<std::ptrdiff_t>(to.begin));
      }
    }
    migrate(united);
    moved = true;
  }
  DistributedTree<D> next = tree_.adapted(own, min_level, max_level);
  const bool differs = communicator().any(!std::ranges::equal(next.leaves(), tree_.leaves()));
  if (!differs) {
    if (moved) {
      rebuild();
      if (is_current_on_device_) home_is_stale();
    }
    return false;
  }
  const std::vector<Origin> origin = origins<D>(tree_.leaves(), next.leaves());
  if (layout_.point_values) {
    // Point values are prolonged from the whole slots of the leaves to be refined.
    const std::vector<char> marked = refined_leaves(origin, size());
    if (communicator().any(std::ranges::find(marked, 1) != marked.end())) {
      if (moved) rebuild();
      fill_whole_halos(marked, t, team);
    }
  }
  move_state(next, origin, team);
  tree_ = std::move(next);
  return true;
}

// Coarsening precedes refinement and frees slots for it: the pool never holds more slots than the larger of
// both meshes. A parent shares a slot with one of its children; a copy of the parent is kept while that slot
// is overwritten.
template <int D>
void PatchMesh<D>::move_state(const DistributedTree<D>& next, std::span<const Origin> origin,
                              ThreadTeam& team) {
  std::vector<int> slots(next.size(), -1);
  std::vector<std::size_t> coarsened, refined;  // refined: first child
  for (std::size_t leaf = 0; leaf < next.size(); ++leaf) {
    const Origin& from = origin[leaf];
    if (from.kind == Origin::Kind::same) slots[leaf] = slots_[static_cast<std::size_t>(from.old_leaf)];
    if (from.kind == Origin::Kind::coarsened) coarsened.push_back(leaf);
    if (from.kind == Origin::Kind::refined && (leaf == 0 || origin[leaf - 1].old_leaf != from.old_leaf)) {
      refined.push_back(leaf);
    }
  }

  coarsen(coarsened, origin, slots, team);
  for (const std::size_t leaf : coarsened) {
    for (int child = 1; child < children<D>; ++child) {
      pool_.release(slots_[static_cast<std::size_t>(origin[leaf].old_leaf + child)]);
    }
  }

  reserve(pool_.held() + refined.size() * (children<D> - 1));
  for (const std::size_t first : refined) {
    slots[first] = slots_[static_cast<std::size_t>(origin[first].old_leaf)];
    for (std::size_t child = 1; child < children<D>; ++child) slots[first + child] = pool_.acquire();
  }
  refine(refined, next, slots, team);
  slots_ = std::move(slots);
  std::vector<double> cost(next.size());
  for (std::size_t leaf = 0; leaf < next.size(); ++leaf) {
    const auto from = static_cast<std::size_t>(origin[leaf].old_leaf);
    const auto count = static_cast<std::size_t>(origin[leaf].old_count);
    cost[leaf] =
        std::accumulate(cost_.data() + from, cost_.data() + from + count, 0.0) / static_cast<double>(count);
  }
  cost_ = std::move(cost);
}

// A balanced table of first leaves; the present one if its imbalance is acceptable.
template <int D>
std::vector<std::int64_t> PatchMesh<D>::balanced_cut(int threads) const {
  const auto now = tree_.partition().first_leaves();
  if (communicator().size() == 1) return {now.begin(), now.end()};
  if (level_steps_.are_local() && !policy_.measured_weights) {
    std::vector<int> levels(size());
    std::ranges::transform(tree_.leaves(), levels.begin(), [](Key<D> leaf) { return leaf.level(); });
    // A device takes all leaves that it updates at a time in one launch.
    return cut_by_path(communicator(), level_steps_, levels, now, device_ ? 1 : threads, policy_.imbalance);
  }
  std::vector<std::int64_t> weights(size(), 1);
  if (policy_.measured_weights) {
    // In nanoseconds; all 0 before the first step.
    for (std::size_t leaf = 0; leaf < size(); ++leaf)
      weights[leaf] = static_cast<std::int64_t>(cost_[leaf] * 1e9);
  }
  const std::int64_t own = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  const std::int64_t total = communicator().sum(own), most = communicator().max(own);
  if (total > 0 &&
      static_cast<double>(most) * communicator().size() <= policy_.imbalance * static_cast<double>(total)) {
    return {now.begin(), now.end()};
  }
  return cut_by_weight(communicator(), weights);
}

template <int D>
void PatchMesh<D>::migrate(std::span<const std::int64_t> first_leaves) {
  const auto rank = communicator().rank();
  const Migration way = migration(tree_.partition().first_leaves(), first_leaves, rank);
  const auto first = static_cast<std::size_t>(rank);
  const auto count = static_cast<std::size_t>(first_leaves[first + 1] - first_leaves[first]);
  std::size_t incoming = 0;
  for (const Piece& piece : way.receive) incoming += piece.rank == rank ? 0 : piece.count;
  facts_.migrated += communicator().sum(static_cast<std::int64_t>(incoming));

  reserve(pool_.held() + incoming);
  std::vector<int> slots(count);
  std::vector<double> cost(count);
  for (const Piece& to : way.receive) {
    for (std::size_t i = to.begin; i < to.begin + to.count && to.rank != rank; ++i)
      slots[i] = pool_.acquire();
  }
  std::vector<parallel::Parcel<double>> costs;
  for (const Piece& from : way.send) {
    const auto begin = cost_.begin() + static_cast<std::ptrdiff_t>(from.begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(from.count);
    if (from.rank != rank) {
      costs.push_back({from.rank, {begin, end}});
      continue;
    }
    for (const Piece& to : way.receive) {
      if (to.rank != rank) continue;
      std::copy(begin, end, cost.begin() + static_cast<std::ptrdiff_t>(to.begin));
      std::copy_n(slots_.begin() + static_cast<std::ptrdiff_t>(from.begin), from.count,
                  slots.begin() + static_cast<std::ptrdiff_t>(to.begin));
    }
  }
  for (const auto& parcel : parallel::exchange_sparsely(communicator(), costs)) {
    for (const Piece& to : way.receive) {
      if (to.rank == parcel.rank)
        std::ranges::copy(parcel.items, cost.begin() + static_cast<std::ptrdiff_t>(to.begin));
    }
  }
  const bool on_device = device_ && is_current_on_device_;
  const auto moving = [&](const std::vector<Piece>& pieces, std::span<const int> of, bool leaves) {
    std::vector<int> numbers;
    std::vector<double*> home;
    for (const Piece& piece : pieces) {
      for (std::size_t i = piece.begin; i < piece.begin + piece.count && piece.rank != rank; ++i) {
        numbers.push_back(of[i]);
        home.push_back(pool_[of[i]]);
      }
    }
    if (on_device && leaves) device_->fetch(numbers, home);
    if (on_device && !leaves) device_->send(numbers, home);
  };
  moving(way.send, slots_, true);
  migrate_slots(way, slots);
  moving(way.receive, slots, false);
  for (const Piece& from : way.send) {
    for (std::size_t i = from.begin; i < from.begin + from.count && from.rank != rank; ++i)
      pool_.release(slots_[i]);
  }
  slots_ = std::move(slots);
  cost_ = std::move(cost);
  tree_ = tree_.repartitioned(first_leaves);
}

// Sends and receives whole slots; the slots of incoming leaves are acquired already.
template <int D>
void PatchMesh<D>::migrate_slots(const Migration& way, std::vector<int>& slots) {
  std::vector<MPI_Request> requests;
  const auto each_message = [&](const Piece& piece, std::span<const int> of, auto&& start) {
    for (std::size_t begin = 0; begin < piece.count && piece.rank != communicator().rank();
         begin += slots_a_message) {
      const std::size_t count = std::min(slots_a_message, piece.count - begin);
      const SlotsType type(pool_, of.subspan(piece.begin + begin, count));
      start(type.get(), piece.rank, &requests.emplace_back(MPI_REQUEST_NULL));
    }
  };
  for (const Piece& piece : way.receive) {
    each_message(piece, slots, [&](MPI_Datatype type, int rank, MPI_Request* request) {
      parallel::mpi_check(
          MPI_Irecv(MPI_BOTTOM, 1, type, rank, parallel::tag_of_slots, communicator().get(), request),
          "MPI_Irecv");
    });
  }
  for (const Piece& piece : way.send) {
    each_message(piece, slots_, [&](MPI_Datatype type, int rank, MPI_Request* request) {
      parallel::mpi_check(
          MPI_Isend(MPI_BOTTOM, 1, type, rank, parallel::tag_of_slots, communicator().get(), request),
          "MPI_Isend");
    });
  }
  if (requests.empty()) return;
  parallel::mpi_check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "MPI_Waitall");
}

// The state of new leaves at a regrid: means of the children of coarsened leaves, prolonged values of refined
// ones, in host memory or on a device.

template <int D>
void PatchMesh<D>::coarsen(std::span<const std::size_t> coarsened, std::span<const Origin> origin,
                           std::vector<int>& slots, ThreadTeam& team) {
  if (device_ && is_current_on_device_) return coarsen_on_device(coarsened, origin, slots);
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  team.for_chunks(coarsened.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t c = begin; c < end; ++c) {
      const Origin& from = origin[coarsened[c]];
      MEANDER_ASSERT(from.old_count == children<D>);
      solvers::FinePatch<D> parts[children<D>];
      for (int child = 0; child < children<D>; ++child) {
        const auto old = static_cast<std::size_t>(from.old_leaf + child);
        parts[child].fine = pool_[slots_[old]];
        parts[child].child = position_in_parent<D>(tree_.leaves()[old]);
      }
      solvers::Box<D> interior;
      interior.extent.fill(layout_.p);
      solvers::restrict_to<D>(layout_, parent.data(), {parts, children<D>}, {interior, {}});
      if (layout_.carried > 0) {
        for (auto& part : parts) part.fine += layout_.carried_begin();
        solvers::restrict_to<D>(layout_.of_carried(), parent.data() + layout_.carried_begin(),
                                {parts, children<D>}, {interior, {}});
      }
      const int slot = slots_[static_cast<std::size_t>(from.old_leaf)];
      std::memcpy(pool_[slot], parent.data(), slot_size * sizeof(double));
      slots[coarsened[c]] = slot;
    }
  });
}

template <int D>
void PatchMesh<D>::coarsen_on_device(std::span<const std::size_t> coarsened, std::span<const Origin> origin,
                                     std::vector<int>& slots) {
  MEANDER_ASSERT(layout_.carried == 0);  // devices have no kernels for them
  std::vector<typename DevicePatches<D>::Coarsened> leaves;
  for (const std::size_t leaf : coarsened) {
    const Origin& from = origin[leaf];
    auto& item = leaves.emplace_back();
    item.slot = slots[leaf] = slots_[static_cast<std::size_t>(from.old_leaf)];
    for (int child = 0; child < children<D>; ++child) {
      const auto old = static_cast<std::size_t>(from.old_leaf + child);
      item.children.push_back(slots_[old]);
      item.child.push_back(position_in_parent<D>(tree_.leaves()[old]));
    }
  }
  device_->coarsen(leaves);
}

template <int D>
void PatchMesh<D>::refine(std::span<const std::size_t> refined, const DistributedTree<D>& next,
                          std::span<const int> slots, ThreadTeam& team) {
  if (device_ && is_current_on_device_) return refine_on_device(refined, next, slots);
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  team.for_chunks(refined.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = refined[r];
      std::memcpy(parent.data(), pool_[slots[first]], slot_size * sizeof(double));
      double* const carried = parent.data() + layout_.carried_begin();
      solvers::continue_linearly<D>(layout_.of_carried(), carried);
      for (std::size_t child = 0; child < children<D>; ++child) {
        solvers::Box<D> interior;
        interior.extent.fill(layout_.p);
        double* const slot = pool_[slots[first + child]];
        const Index<D> position = position_in_parent<D>(next.leaves()[first + child]);
        Index<D> offset = position;
        for (int& volumes : offset) volumes *= layout_.p;
        solvers::prolong<D>(solver_, layout_, slot, parent.data(), interior, offset);
        solvers::prolong_linearly<D>(layout_.of_carried(), slot + layout_.carried_begin(), carried, position);
      }
    }
  });
}

template <int D>
void PatchMesh<D>::refine_on_device(std::span<const std::size_t> refined, const DistributedTree<D>& next,
                                    std::span<const int> slots) {
  MEANDER_ASSERT(layout_.carried == 0);
  std::vector<typename DevicePatches<D>::Refined> leaves;
  for (const std::size_t first : refined) {
    auto& item = leaves.emplace_back();
    item.parent = slots[first];
    for (std::size_t child = 0; child < children<D>; ++child) {
      item.children.push_back(slots[first + child]);
      item.child.push_back(position_in_parent<D>(next.leaves()[first + child]));
    }
  }
  device_->refine(leaves);
}

#define MEANDER_INSTANTIATE(D)                                                                \
  template bool PatchMesh<D>::adapt(std::span<const Adapt>, int, int, double, ThreadTeam&);   \
  template void PatchMesh<D>::coarsen(std::span<const std::size_t>, std::span<const Origin>,  \
                                      std::vector<int>&, ThreadTeam&);                        \
  template void PatchMesh<D>::refine(std::span<const std::size_t>, const DistributedTree<D>&, \
                                     std::span<const int>, ThreadTeam&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
