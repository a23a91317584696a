// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_path.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "mesh/local_view.hpp"
#include "mesh/partition.hpp"

namespace meander::mesh {
namespace {

// Ticks that begin with a level.
std::int64_t ticks(const LevelSteps& levels, std::size_t level) {
  return level == 0 ? 1 : levels.steps[level] - levels.steps[level - 1];
}

// Weights are integers: multiples of the share of a tick that is not emphasised.
constexpr std::int64_t plain_share = 4, shares[] = {1, 16, 64, 256};

// The sum of the rows that all ranks have for this rank. rows: by rank, each of this width. Collective.
std::vector<std::int64_t> sums_of_rows(const parallel::Communicator& communicator, std::size_t width,
                                       std::map<int, std::vector<std::int64_t>> rows) {
  const auto received = parallel::deliver(communicator, std::move(rows));
  std::vector<std::int64_t> sums(width, 0);
  for (std::size_t i = 0; i < received.size(); ++i) sums[i % width] += received[i];
  return sums;
}

// The leaves by level that this rank has after a cut.
std::vector<std::int64_t> leaves_after(const parallel::Communicator& communicator, const LevelSteps& levels,
                                       std::span<const int> leaf_levels, std::span<const std::int64_t> now,
                                       std::span<const std::int64_t> cut) {
  std::map<int, std::vector<std::int64_t>> rows;
  for (const Piece& piece : migration(now, cut, communicator.rank()).send)
    rows[piece.rank] = levels.count(leaf_levels.subspan(piece.begin, piece.count));
  return sums_of_rows(communicator, levels.steps.size(), std::move(rows));
}

// The cut with the shortest critical path among those by trial_weights().
struct ShortestCut {
  std::vector<std::int64_t> first_leaves;
  std::int64_t path = std::numeric_limits<std::int64_t>::max();
};
ShortestCut shortest_cut(const parallel::Communicator& communicator, const LevelSteps& levels,
                         std::span<const int> leaf_levels, std::span<const std::int64_t> now, int threads) {
  // Sums of weights must be representable.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2 / shares[std::size(shares) - 1];
  const bool has_room = now.back() <= most / levels.steps.back();
  ShortestCut best;
  std::vector<std::int64_t> of_leaves(leaf_levels.size());
  for (const auto& weights : trial_weights(levels)) {
    std::ranges::transform(leaf_levels, of_leaves.begin(),
                           [&](int level) { return weights[levels.index(level)]; });
    auto cut = cut_by_weight(communicator, of_leaves);
    const std::int64_t path = critical_path(levels, leaves_after(communicator, levels, leaf_levels, now, cut),
                                            threads, communicator);
    if (path < best.path) best = {std::move(cut), path};
    if (!has_room) break;
  }
  return best;
}

// The critical path if no rank ever waited for another one.
std::int64_t even_path(const parallel::Communicator& communicator, const LevelSteps& levels,
                       std::span<const int> leaf_levels, int threads) {
  std::vector<std::int64_t> all = levels.count(leaf_levels);
  all.push_back(threads);
  communicator.sum(std::span<std::int64_t>(all));
  const std::int64_t workers = all.back();
  all.pop_back();
  return path_of(levels, turns(levels, all, workers));
}

bool is_tolerable(std::int64_t path, double tolerance, std::int64_t shortest) {
  return static_cast<double>(path) <= tolerance * static_cast<double>(shortest);
}

}  // namespace

std::size_t LevelSteps::index(int level) const {
  const auto last = static_cast<int>(steps.size()) - 1;
  return static_cast<std::size_t>(std::clamp(level - coarsest, 0, last));
}

std::vector<std::int64_t> LevelSteps::count(std::span<const int> leaf_levels) const {
  std::vector<std::int64_t> leaves(steps.size(), 0);
  for (const int level : leaf_levels) ++leaves[index(level)];
  return leaves;
}

std::vector<std::int64_t> turns(const LevelSteps& levels, std::span<const std::int64_t> leaves,
                                std::int64_t threads) {
  std::vector<std::int64_t> result(levels.steps.size());
  std::int64_t updates = 0;
  for (std::size_t level = result.size(); level-- > 0;) {
    updates += leaves[level] * (levels.has_enclaves ? levels.steps[level] : 1);
    const std::int64_t workers = threads * (levels.has_enclaves ? levels.steps[level] : 1);
    result[level] = (updates + workers - 1) / workers;
  }
  return result;
}

std::int64_t path_of(const LevelSteps& levels, std::span<const std::int64_t> most_turns) {
  std::int64_t longest = 0;
  for (std::size_t level = 0; level < most_turns.size(); ++level) {
    if (levels.has_enclaves)
      longest = std::max(longest, levels.steps[level] * most_turns[level]);
    else
      longest += ticks(levels, level) * most_turns[level];
  }
  return longest;
}

std::int64_t critical_path(const LevelSteps& levels, std::span<const std::int64_t> leaves, int threads,
                           const parallel::Communicator& communicator) {
  auto most = turns(levels, leaves, threads);
  communicator.max(std::span<std::int64_t>(most));
  return path_of(levels, most);
}

std::vector<std::vector<std::int64_t>> trial_weights(const LevelSteps& levels) {
  std::vector<std::vector<std::int64_t>> all{levels.steps};
  for (std::size_t emphasised = 0; emphasised < levels.steps.size(); ++emphasised) {
    for (const std::int64_t share : shares) {
      std::int64_t weight = 0;
      auto& weights = all.emplace_back();
      for (std::size_t level = 0; level < levels.steps.size(); ++level)
        weights.push_back(weight += ticks(levels, level) * (level == emphasised ? share : plain_share));
    }
  }
  return all;
}

std::vector<std::int64_t> cut_by_path(const parallel::Communicator& communicator, const LevelSteps& levels,
                                      std::span<const int> leaf_levels, std::span<const std::int64_t> now,
                                      int threads, double tolerance) {
  const std::int64_t present = critical_path(levels, levels.count(leaf_levels), threads, communicator);
  const std::vector<std::int64_t> stay(now.begin(), now.end());
  if (is_tolerable(present, tolerance, even_path(communicator, levels, leaf_levels, threads))) return stay;
  ShortestCut best = shortest_cut(communicator, levels, leaf_levels, now, threads);
  return is_tolerable(present, tolerance, best.path) ? stay : std::move(best.first_leaves);
}

template <int D>
Distribution<D> Distribution<D>::of(const DistributedTree<D>& tree) {
  const auto first = tree.partition().first_leaves();
  return {{first.begin(), first.end()}, tree.is_placed() ? std::optional(*tree.cuts()) : std::nullopt};
}

template <int D>
DistributedTree<D> Distribution<D>::tree(const DistributedTree<D>& curve) const {
  const bool stays = std::ranges::equal(first_leaves, curve.partition().first_leaves());
  const DistributedTree<D> cut = stays ? curve : curve.repartitioned(first_leaves);
  return levels ? cut.placed(*levels) : cut;
}

namespace {

// What a distribution costs the slowest rank in a step of the coarsest level, in updates of leaves.
template <int D>
class Costs {
 public:
  Costs(const DistributedTree<D>& curve, const LevelSteps& levels, int threads)
      : curve_(curve), levels_(levels), threads_(threads) {}

  template <class Owner>
  std::int64_t path(const Owner& owner) const {
    std::map<int, std::vector<std::int64_t>> rows;
    for (const Key<D> leaf : curve_.leaves()) {
      auto& row = rows.try_emplace(owner(leaf), levels_.steps.size(), 0).first->second;
      ++row[levels_.index(leaf.level())];
    }
    return critical_path(levels_, sums_of_rows(curve_.communicator(), levels_.steps.size(), std::move(rows)),
                         threads_, curve_.communicator());
  }

  template <class Owner>
  double of(std::int64_t path, const Owner& owner) {
    if (!view_) view_.emplace(curve_);
    const auto cells = view_->neighbours().cells();
    std::map<int, std::vector<std::int64_t>> rows;
    for (std::size_t leaf = 0; leaf < view_->own(); ++leaf) {
      const int rank = owner(curve_.leaves()[leaf]);
      const std::int64_t steps = levels_.steps[levels_.index(cells[leaf].level)];
      for (int face = 0; face < 2 * D; ++face) {
        Index<D> offset{};
        offset[face / 2] = 2 * (face % 2) - 1;
        const Neighbour neighbour =
            view_->neighbours().of(static_cast<std::int32_t>(leaf), direction_of<D>(offset));
        if (!neighbour.is_leaf()) continue;  // counted from the finer side
        const Cell<D>& other = cells[static_cast<std::size_t>(neighbour.leaf())];
        const int of_other = owner(key_of<D>(other));
        if (of_other == rank) continue;
        rows.try_emplace(rank, 1, 0).first->second[0] += steps;
        // That of an equal leaf is counted by itself.
        if (other.level < cells[leaf].level) rows.try_emplace(of_other, 1, 0).first->second[0] += steps;
      }
    }
    const std::int64_t faces = sums_of_rows(curve_.communicator(), 1, std::move(rows)).front();
    // Ranks may have different numbers of threads, but the cost must be equal on all of them.
    return static_cast<double>(path) +
           face_share * curve_.communicator().max(static_cast<double>(faces) / threads_);
  }

 private:
  const DistributedTree<D>& curve_;
  const LevelSteps& levels_;
  int threads_;
  std::optional<LocalView<D>> view_;
};

}  // namespace

template <int D>
Distribution<D> distribute_by_path(const DistributedTree<D>& curve, const Distribution<D>& now,
                                   const LevelSteps& levels, Cuts cuts, int threads, double tolerance) {
  const auto& communicator = curve.communicator();
  std::vector<int> leaf_levels(curve.size());
  std::ranges::transform(curve.leaves(), leaf_levels.begin(), [](Key<D> leaf) { return leaf.level(); });
  if (cuts == Cuts::one)
    return {cut_by_path(communicator, levels, leaf_levels, now.first_leaves, threads, tolerance), {}};
  Costs<D> costs(curve, levels, threads);
  const std::int64_t present = now.levels
                                   ? costs.path([&](Key<D> leaf) { return now.levels->owner(leaf); })
                                   : critical_path(levels, levels.count(leaf_levels), threads, communicator);
  const bool is_kind = cuts == Cuts::automatic || now.levels;
  if (is_kind && is_tolerable(present, tolerance, even_path(communicator, levels, leaf_levels, threads)))
    return now;

  const auto by_levels =
      LevelCuts<D>::even(communicator, curve.leaves(), levels.coarsest, levels.steps.size());
  const auto owner_by_levels = [&](Key<D> leaf) { return by_levels.owner(leaf); };
  const std::int64_t path_by_levels = costs.path(owner_by_levels);
  const std::vector<std::int64_t> equal(curve.size(), 1);
  const auto of_levels = [&] { return Distribution<D>{cut_by_weight(communicator, equal), by_levels}; };
  if (cuts == Cuts::levels)
    return is_kind && is_tolerable(present, tolerance, path_by_levels) ? now : of_levels();
  const ShortestCut one = shortest_cut(communicator, levels, leaf_levels, now.first_leaves, threads);
  if (is_tolerable(present, tolerance, std::min(path_by_levels, one.path))) return now;
  const DistributedTree<D> with_one = curve.repartitioned(one.first_leaves);
  const double cost_of_one = costs.of(one.path, [&](Key<D> leaf) { return with_one.owner(leaf); });
  return costs.of(path_by_levels, owner_by_levels) < cost_of_one ? of_levels()
                                                                 : Distribution<D>{one.first_leaves, {}};
}

#define MEANDER_INSTANTIATE(D)                                                                   \
  template struct Distribution<D>;                                                               \
  template Distribution<D> distribute_by_path(const DistributedTree<D>&, const Distribution<D>&, \
                                              const LevelSteps&, Cuts, int, double);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
