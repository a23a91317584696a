// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Regridding of a patch mesh: adapts the tree, transfers the state, and repartitions if the ranks are
// imbalanced.

#include <algorithm>
#include <cstring>
#include <map>
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

// What a regrid does to leaves: their refinement, or their replacement by their parent.
template <int D>
struct Change {
  Key<D> cell;  // the leaf, or the parent
  bool refines = false;
};

// Tells each rank the changes of its leaves in `tree`. whole: a tree with the same leaves, each family that is coarsened on one
// rank; next: after the changes, its leaves on the ranks of the old ones. Collective.
template <int D>
std::vector<Change<D>> changes_of(const DistributedTree<D>& tree, const DistributedTree<D>& whole,
                                  const DistributedTree<D>& next) {
  const std::vector<Origin> origin = origins<D>(whole.leaves(), next.leaves());
  std::map<int, std::vector<Change<D>>> told;
  for (std::size_t leaf = 0; leaf < origin.size(); ++leaf) {
    const Origin& from = origin[leaf];
    const Key<D> old = whole.leaves()[static_cast<std::size_t>(from.old_leaf)], key = next.leaves()[leaf];
    if (from.kind == Origin::Kind::refined && key == old.child(0))
      told[tree.owner(old)].push_back({old, true});
    if (from.kind != Origin::Kind::coarsened) continue;
    MEANDER_ASSERT(from.old_count == children<D>);
    for (int digit = 0; digit < children<D>; ++digit) {
      auto& changes = told[tree.owner(key.child(digit))];
      if (changes.empty() || changes.back().cell != key) changes.push_back({key, false});
    }
  }
  auto own = parallel::deliver(tree.communicator(), std::move(told));
  std::ranges::sort(own, {}, &Change<D>::cell);
  return own;
}

// The flags of the leaves of a placed tree, for the leaves of tree.curve() on this rank. Collective.
template <int D>
std::vector<Adapt> on_curve(const DistributedTree<D>& tree, std::span<const Adapt> flags) {
  const DistributedTree<D>& curve = tree.curve();
  if (!tree.is_placed()) return {flags.begin(), flags.end()};
  struct Flagged {
    Key<D> leaf;
    Adapt flag;
  };
  std::map<int, std::vector<Flagged>> by_rank;
  for (std::size_t leaf = 0; leaf < flags.size(); ++leaf) {
    const Flagged item{tree.leaves()[leaf], flags[leaf]};
    by_rank[curve.owner(item.leaf)].push_back(item);
  }
  std::vector<Adapt> result(curve.size(), Adapt::keep);
  for (const Flagged& item : parallel::deliver(curve.communicator(), std::move(by_rank))) {
    const auto found = std::ranges::lower_bound(curve.leaves(), item.leaf);
    MEANDER_ASSERT(found != curve.leaves().end() && *found == item.leaf);
    result[static_cast<std::size_t>(found - curve.leaves().begin())] = item.flag;
  }
  return result;
}

}  // namespace

template <int D>
bool PatchMesh<D>::adapt(std::span<const Adapt> adapt, int min_level, int max_level, double t,
                         ThreadTeam& team) {
  complete_halos(team);
  std::vector<Key<D>> leaves(tree_.leaves().begin(), tree_.leaves().end());
  const auto adapted = adapt_leaves(leaves, adapt, min_level, max_level, t, team);
  // Steps by level and measured loads change although leaves do not.
  if (!adapted && level_steps_.steps.empty() && !policy_.measured_weights) return false;
  const DistributedTree<D> curve = adapted ? *adapted : tree_.curve();
  Distribution<D> now = Distribution<D>::of(curve);
  if (tree_.is_placed()) now.levels = *tree_.cuts();
  const Distribution<D> distribution = distributed(curve, now, team.size());
  if (!adapted && distribution == now) return false;
  tree_ = distribution.tree(curve);
  if (distribution != now || tree_.is_placed())
    move_leaves(leaves, [&](Key<D> leaf) { return tree_.owner(leaf); });
  MEANDER_ASSERT(std::ranges::equal(leaves, tree_.leaves()));
  // On a device slots keep their places.
  const std::vector<int> moved = residence_.is_on_device() ? std::vector<int>{} : pool_.shrink(pool_slack);
  if (!moved.empty()) {
    for (int& slot : slots_) slot = moved[static_cast<std::size_t>(slot)];
  }
  std::fill(cost_.begin(), cost_.end(), 0.0);
  rebuild(team);
  if (residence_.current() != nullptr) residence_.changed_on_device();
  return adapted.has_value();
}

// Adapts this rank's leaves with their state, and returns the tree with the leaves of all ranks, not placed; nullopt if nothing
// changes. The families to be coarsened move to the rank of their first leaf, others stay.
template <int D>
std::optional<DistributedTree<D>> PatchMesh<D>::adapt_leaves(std::vector<Key<D>>& leaves,
                                                             std::span<const Adapt> flags, int min_level,
                                                             int max_level, double t, ThreadTeam& team) {
  const DistributedTree<D>& curve = tree_.curve();
  const int rank = communicator().rank();
  std::vector<Adapt> on_pieces = on_curve(tree_, flags);
  const auto united = curve.families_united(on_pieces, min_level, max_level);
  const bool unites = !std::ranges::equal(united, curve.partition().first_leaves());
  const DistributedTree<D> whole = unites ? curve.repartitioned(united) : curve;
  if (unites) {
    // All leaves that move are flagged for coarsening, so their flags need not be sent.
    const auto way = migration(curve.partition().first_leaves(), united, rank);
    std::vector<Adapt> moved(whole.size(), Adapt::coarsen);
    for (const Piece& from : way.send) {
      for (const Piece& to : way.receive) {
        if (from.rank == rank && to.rank == rank)
          std::copy_n(on_pieces.begin() + static_cast<std::ptrdiff_t>(from.begin), from.count,
                      moved.begin() + static_cast<std::ptrdiff_t>(to.begin));
      }
    }
    on_pieces = std::move(moved);
  }
  DistributedTree<D> next = whole.adapted(on_pieces, min_level, max_level);
  if (!communicator().any(!std::ranges::equal(next.leaves(), whole.leaves()))) return std::nullopt;
  const std::vector<Change<D>> changes = changes_of(tree_, whole, next);
  const auto find = [&](Key<D> cell, bool refines) {
    const auto found = std::ranges::lower_bound(changes, cell, {}, &Change<D>::cell);
    return found != changes.end() && found->cell == cell && found->refines == refines;
  };
  const auto is_refined = [&](Key<D> leaf) { return find(leaf, true); };
  const auto is_coarsened = [&](Key<D> leaf) { return leaf.level() > 0 && find(leaf.parent(), false); };
  if (layout_.point_values) {
    // Point values are prolonged from the whole slots of the leaves to be refined.
    std::vector<char> marked(size());
    std::ranges::transform(leaves, marked.begin(), [&](Key<D> leaf) { return is_refined(leaf) ? 1 : 0; });
    if (communicator().any(std::ranges::find(marked, 1) != marked.end())) fill_whole_halos(marked, t, team);
  }
  std::vector<Key<D>> after;
  if (!tree_.is_placed()) {
    // The leaves of `whole`, also those that balance does not permit to coarsen, or refines.
    if (unites) move_leaves(leaves, [&](Key<D> leaf) { return whole.owner(leaf); });
    after.assign(next.leaves().begin(), next.leaves().end());
  } else {
    if (communicator().any(std::ranges::find(changes, false, &Change<D>::refines) != changes.end())) {
      move_leaves(leaves, [&](Key<D> leaf) {
        return is_coarsened(leaf) ? tree_.owner(leaf.parent().child(0)) : rank;
      });
    }
    for (const Key<D> leaf : leaves) {
      if (is_refined(leaf)) {
        for (int digit = 0; digit < children<D>; ++digit) after.push_back(leaf.child(digit));
      } else if (!is_coarsened(leaf)) {
        after.push_back(leaf);
      } else if (leaf == leaf.parent().child(0)) {
        after.push_back(leaf.parent());
      }
    }
  }
  move_state(leaves, after, team);
  leaves = std::move(after);
  return next;
}

// Coarsening precedes refinement and frees slots for it: the pool never holds more slots than the larger of
// both meshes. A parent shares a slot with one of its children; a copy of the parent is kept while that slot
// is overwritten.
template <int D>
void PatchMesh<D>::move_state(std::span<const Key<D>> leaves, std::span<const Key<D>> next,
                              ThreadTeam& team) {
  const std::vector<Origin> origin = origins<D>(leaves, next);
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

  // A device may lack memory for copies of leaves.
  const auto agree = [&](const auto& change) {
    residence_.is_on_device_of_any_rank() ? communicator().agree(change) : change();
  };
  agree([&] { coarsen(coarsened, leaves, origin, slots, team); });
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
  agree([&] { refine(refined, next, slots, team); });
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

// A balanced distribution of the leaves of `curve`; the present one if its imbalance is acceptable.
template <int D>
Distribution<D> PatchMesh<D>::distributed(const DistributedTree<D>& curve, const Distribution<D>& now,
                                          int threads) const {
  if (communicator().size() == 1) return now;
  // A device takes all leaves that it updates at a time in one launch.
  if (level_steps_.are_local() && !policy_.measured_weights)
    return distribute_by_path(curve, now, level_steps_, policy_.cuts, residence_.is_on_device() ? 1 : threads,
                              policy_.imbalance);
  std::vector<std::int64_t> weights(curve.size(), 1);
  if (policy_.measured_weights) {
    // In nanoseconds; all 0 before the first step.
    for (std::size_t leaf = 0; leaf < weights.size(); ++leaf)
      weights[leaf] = static_cast<std::int64_t>(cost_[leaf] * 1e9);
  }
  const std::int64_t own = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  const std::int64_t total = communicator().sum(own), most = communicator().max(own);
  if (total > 0 &&
      static_cast<double>(most) * communicator().size() <= policy_.imbalance * static_cast<double>(total)) {
    return {now.first_leaves, {}};
  }
  return {cut_by_weight(communicator(), weights), {}};
}

// Moves leaves with their state to other ranks. Collective.
template <int D>
void PatchMesh<D>::move_leaves(std::vector<Key<D>>& leaves, const std::function<int(Key<D>)>& owner) {
  struct Leaf {
    Key<D> key;
    double cost;
    int slot;
  };
  const int rank = communicator().rank();
  std::vector<Leaf> held;
  std::map<int, std::vector<Leaf>> leaving;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const int to = owner(leaves[leaf]);
    (to == rank ? held : leaving[to]).push_back({leaves[leaf], cost_[leaf], slots_[leaf]});
  }
  std::vector<parallel::Parcel<Leaf>> out;
  for (const auto& [to, items] : leaving) out.push_back({to, items});
  auto in = parallel::exchange_sparsely(communicator(), out);
  std::size_t incoming = 0;
  for (const auto& parcel : in) incoming += parcel.items.size();
  facts_.migrated += communicator().sum(static_cast<std::int64_t>(incoming));
  reserve(pool_.held() + incoming);
  for (auto& parcel : in) {
    for (Leaf& leaf : parcel.items) leaf.slot = pool_.acquire();
  }

  DevicePatches<D>* const device = residence_.current();
  const auto each_slot = [&](const std::vector<parallel::Parcel<Leaf>>& parcels, const auto& visit) {
    std::vector<int> numbers;
    std::vector<double*> home;
    for (const auto& parcel : parcels) {
      for (const Leaf& leaf : parcel.items) {
        numbers.push_back(leaf.slot);
        home.push_back(pool_[leaf.slot]);
      }
    }
    visit(numbers, home);
  };
  if (device != nullptr)
    each_slot(out, [&](const auto& numbers, const auto& home) { device->fetch(numbers, home); });
  std::vector<MPI_Request> requests;
  const auto each_message = [&](const std::vector<parallel::Parcel<Leaf>>& parcels, const auto& start) {
    for (const auto& parcel : parcels) {
      std::vector<int> slots(parcel.items.size());
      std::ranges::transform(parcel.items, slots.begin(), &Leaf::slot);
      for (std::size_t begin = 0; begin < slots.size(); begin += slots_a_message) {
        const auto of_message =
            std::span(slots).subspan(begin, std::min(slots_a_message, slots.size() - begin));
        start(SlotsType(pool_, of_message).get(), parcel.rank, &requests.emplace_back(MPI_REQUEST_NULL));
      }
    }
  };
  each_message(in, [&](MPI_Datatype type, int from, MPI_Request* request) {
    parallel::mpi_check(
        MPI_Irecv(MPI_BOTTOM, 1, type, from, parallel::tag_of_slots, communicator().get(), request),
        "MPI_Irecv");
  });
  each_message(out, [&](MPI_Datatype type, int to, MPI_Request* request) {
    parallel::mpi_check(
        MPI_Isend(MPI_BOTTOM, 1, type, to, parallel::tag_of_slots, communicator().get(), request),
        "MPI_Isend");
  });
  if (!requests.empty())
    parallel::mpi_check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                        "MPI_Waitall");
  if (device != nullptr)
    each_slot(in, [&](const auto& numbers, const auto& home) { device->send(numbers, home); });

  for (const auto& parcel : out) {
    for (const Leaf& leaf : parcel.items) pool_.release(leaf.slot);
  }
  for (const auto& parcel : in) held.insert(held.end(), parcel.items.begin(), parcel.items.end());
  std::ranges::sort(held, {}, &Leaf::key);
  leaves.resize(held.size());
  slots_.resize(held.size());
  cost_.resize(held.size());
  for (std::size_t leaf = 0; leaf < held.size(); ++leaf) {
    leaves[leaf] = held[leaf].key;
    slots_[leaf] = held[leaf].slot;
    cost_[leaf] = held[leaf].cost;
  }
}

// The state of new leaves at a regrid: means of the children of coarsened leaves, prolonged values of refined
// ones, in host memory or on a device.

template <int D>
void PatchMesh<D>::coarsen(std::span<const std::size_t> coarsened, std::span<const Key<D>> leaves,
                           std::span<const Origin> origin, std::vector<int>& slots, ThreadTeam& team) {
  if (residence_.current() != nullptr) return coarsen_on_device(coarsened, leaves, origin, slots);
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
        parts[child].child = position_in_parent<D>(leaves[old]);
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
void PatchMesh<D>::coarsen_on_device(std::span<const std::size_t> coarsened, std::span<const Key<D>> leaves,
                                     std::span<const Origin> origin, std::vector<int>& slots) {
  std::vector<typename DevicePatches<D>::Coarsened> items;
  for (const std::size_t leaf : coarsened) {
    const Origin& from = origin[leaf];
    auto& item = items.emplace_back();
    item.slot = slots[leaf] = slots_[static_cast<std::size_t>(from.old_leaf)];
    for (int child = 0; child < children<D>; ++child) {
      const auto old = static_cast<std::size_t>(from.old_leaf + child);
      item.children.push_back(slots_[old]);
      item.child.push_back(position_in_parent<D>(leaves[old]));
    }
  }
  residence_.current()->coarsen(items);
}

template <int D>
void PatchMesh<D>::refine(std::span<const std::size_t> refined, std::span<const Key<D>> next,
                          std::span<const int> slots, ThreadTeam& team) {
  if (residence_.current() != nullptr) return refine_on_device(refined, next, slots);
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
        const Index<D> position = position_in_parent<D>(next[first + child]);
        Index<D> offset = position;
        for (int& volumes : offset) volumes *= layout_.p;
        solvers::prolong<D>(solver_, layout_, slot, parent.data(), interior, offset);
        solvers::prolong_linearly<D>(layout_.of_carried(), slot + layout_.carried_begin(), carried, position);
      }
    }
  });
}

template <int D>
void PatchMesh<D>::refine_on_device(std::span<const std::size_t> refined, std::span<const Key<D>> next,
                                    std::span<const int> slots) {
  std::vector<typename DevicePatches<D>::Refined> leaves;
  for (const std::size_t first : refined) {
    auto& item = leaves.emplace_back();
    item.parent = slots[first];
    for (std::size_t child = 0; child < children<D>; ++child) {
      item.children.push_back(slots[first + child]);
      item.child.push_back(position_in_parent<D>(next[first + child]));
    }
  }
  residence_.current()->refine(leaves);
}

#define MEANDER_INSTANTIATE(D)                                                                  \
  template bool PatchMesh<D>::adapt(std::span<const Adapt>, int, int, double, ThreadTeam&);     \
  template void PatchMesh<D>::coarsen(std::span<const std::size_t>, std::span<const Key<D>>,    \
                                      std::span<const Origin>, std::vector<int>&, ThreadTeam&); \
  template void PatchMesh<D>::refine(std::span<const std::size_t>, std::span<const Key<D>>,     \
                                     std::span<const int>, ThreadTeam&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
