// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The critical path of a step of the coarsest level with local time steps, as a partition permits it, and a cut of
// the curve that shortens it. Lengths are in updates of leaves that one thread does one after the other.
//
// A cut by the sum of updates may put most leaves of the finest levels on few ranks, for which the others wait in
// most ticks (tasks/level_clock.hpp). No formula gives the best cut, so that several are tried. A cut for each level
// (LevelCuts) is even in every tick, but more leaves have neighbours on other ranks.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "parallel/communicator.hpp"

namespace meander::mesh {

struct LevelSteps {
  int coarsest = 0;                 // level of the tree that takes one step
  std::vector<std::int64_t> steps;  // of this level and of each finer one in that time, ascending from 1
  // Whether updates of coarse levels wait until finer levels have substeps to fill (tasks/level_tasks.hpp).
  bool has_enclaves = false;

  bool are_local() const { return !steps.empty() && steps.back() > 1; }
  // Coarser and finer levels count as the nearest of these.
  std::size_t index(int level) const;
  // Of these levels, from the coarsest.
  std::vector<std::int64_t> count(std::span<const int> leaf_levels) const;
};

// For each level, the updates that one of `threads` threads does in succession: without enclaves in a tick that
// begins with this level, of its leaves and finer ones; with enclaves in a step of this level. leaves: of the
// threads' rank, by level.
std::vector<std::int64_t> turns(const LevelSteps& levels, std::span<const std::int64_t> leaves,
                                std::int64_t threads);
// The critical path, by the maxima of turns() over all ranks.
std::int64_t path_of(const LevelSteps& levels, std::span<const std::int64_t> most_turns);
// leaves, threads: of this rank. Collective.
std::int64_t critical_path(const LevelSteps& levels, std::span<const std::int64_t> leaves, int threads,
                           const parallel::Communicator& communicator);

// Weights of leaves by level: first the number of steps, then others that emphasise the ticks that begin with one
// level, each level in turn.
std::vector<std::vector<std::int64_t>> trial_weights(const LevelSteps& levels);

// The cut with the shortest critical path among those by trial_weights(), in the form of cut_by_weight(). Returns
// `now`, the present table of first leaves, if its path is not longer than `tolerance` times that one, or than that
// of all threads without any border between ranks. leaf_levels: of own leaves. Identical on all ranks.
// Requires are_local(). Collective.
std::vector<std::int64_t> cut_by_path(const parallel::Communicator& communicator, const LevelSteps& levels,
                                      std::span<const int> leaf_levels, std::span<const std::int64_t> now,
                                      int threads, double tolerance);

// The ranks of the leaves of a tree: those of one cut of the curve, or, for steps, of a cut for each level.
template <int D>
struct Distribution {
  std::vector<std::int64_t> first_leaves;  // of the curve
  std::optional<LevelCuts<D>> levels;

  static Distribution of(const DistributedTree<D>& tree);
  // The tree that it is the distribution of. curve: a tree with the same leaves, not placed. Collective.
  DistributedTree<D> tree(const DistributedTree<D>& curve) const;
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

enum class Cuts : char { automatic, one, levels };

// As cut_by_path(), with a cut for each level if `cuts` demands it or if that is faster: in the critical path, and with the faces
// between leaves of different ranks, each of which takes as long as `face_share` updates of a leaf in every step of the finer
// leaf. now: of the tree, whose leaves `curve` has on the ranks of now.first_leaves. Collective.
inline constexpr double face_share = 0.05;
template <int D>
Distribution<D> distribute_by_path(const DistributedTree<D>& curve, const Distribution<D>& now,
                                   const LevelSteps& levels, Cuts cuts, int threads, double tolerance);

}  // namespace meander::mesh
