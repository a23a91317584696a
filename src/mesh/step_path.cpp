// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_path.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "mesh/partition.hpp"

namespace meander::mesh {
namespace {

// Ticks that begin with a level.
std::int64_t ticks(const LevelSteps& levels, std::size_t level) {
  return level == 0 ? 1 : levels.steps[level] - levels.steps[level - 1];
}

// Weights are integers: multiples of the share of a tick that is not emphasised.
constexpr std::int64_t plain_share = 4, shares[] = {1, 16, 64, 256};

// The leaves by level that a rank has after a cut.
std::vector<std::int64_t> leaves_after(const parallel::Communicator& communicator, const LevelSteps& levels,
                                       std::span<const int> leaf_levels, std::span<const std::int64_t> now,
                                       std::span<const std::int64_t> cut) {
  std::vector<std::int64_t> leaves(levels.steps.size(), 0);
  std::vector<parallel::Parcel<std::int64_t>> parcels;
  for (const Piece& piece : migration(now, cut, communicator.rank()).send) {
    const auto of_piece = levels.count(leaf_levels.subspan(piece.begin, piece.count));
    if (piece.rank == communicator.rank())
      leaves = of_piece;
    else
      parcels.push_back({piece.rank, of_piece});
  }
  for (const auto& parcel : parallel::exchange_sparsely(communicator, parcels))
    std::ranges::transform(leaves, parcel.items, leaves.begin(), std::plus<>());
  return leaves;
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
  const auto path_after = [&](std::span<const std::int64_t> cut) {
    return critical_path(levels, leaves_after(communicator, levels, leaf_levels, now, cut), threads,
                         communicator);
  };
  std::vector<std::int64_t> all = levels.count(leaf_levels);
  const std::int64_t present = critical_path(levels, all, threads, communicator);
  all.push_back(threads);
  communicator.sum(std::span<std::int64_t>(all));
  const std::int64_t workers = all.back();
  all.pop_back();
  const auto is_tolerable = [&](std::int64_t path) {
    return static_cast<double>(present) <= tolerance * static_cast<double>(path);
  };
  const std::vector<std::int64_t> stay(now.begin(), now.end());
  if (is_tolerable(path_of(levels, turns(levels, all, workers)))) return stay;

  // Sums of weights must be representable.
  const std::int64_t leaves = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2 / shares[std::size(shares) - 1];
  const bool has_room = leaves <= most / levels.steps.back();
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> best;
  std::vector<std::int64_t> of_leaves(leaf_levels.size());
  for (const auto& weights : trial_weights(levels)) {
    std::ranges::transform(leaf_levels, of_leaves.begin(),
                           [&](int level) { return weights[levels.index(level)]; });
    auto cut = cut_by_weight(communicator, of_leaves);
    const std::int64_t path = path_after(cut);
    if (path < shortest) {
      shortest = path;
      best = std::move(cut);
    }
    if (!has_room) break;
  }
  return is_tolerable(shortest) ? stay : best;
}

}  // namespace meander::mesh
