// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "census.hpp"

#include <algorithm>
#include <ctime>
#include <optional>

#include "parallel/rank_replay.hpp"

namespace meander::bench {

using namespace meander::mesh;

Census::Spread Census::spread(const std::function<double(const RankCosts&)>& figure) const {
  Spread result;
  for (const RankCosts& rank : costs) {
    const double value = figure(rank);
    result.mean += value / static_cast<double>(costs.size());
    result.max = std::max(result.max, value);
  }
  return result;
}

template <int D>
Census census_of(const std::string& name, const DistributedTree<D>& tree, int ranks, bool by_levels,
                 const solvers::Traits& traits, int patch_size) {
  Census census;
  census.tree = name;
  census.dim = D;
  census.patch_size = patch_size;
  census.ranks = ranks;
  census.stages = traits.stages;
  census.leaves = tree.global_size();
  const auto leaves = tree.leaves();
  int finest = 0;
  for (const Key<D> leaf : leaves) finest = std::max(finest, leaf.level());
  census.levels = finest - tree.domain().base_level + 1;

  const std::clock_t start = std::clock();
  const auto cuts = cut_by_weight(ranks, std::vector<std::int64_t>(leaves.size(), 1));
  const auto partition = Partition<D>::with(
      cuts, [&](std::size_t rank) { return leaves[static_cast<std::size_t>(cuts[rank])]; });
  std::optional<LevelCuts<D>> levels;
  if (by_levels)
    levels =
        LevelCuts<D>::even(ranks, leaves, tree.domain().base_level, static_cast<std::size_t>(census.levels));
  census.cut_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;

  census.costs.resize(static_cast<std::size_t>(ranks));
  parallel::replay_ranks(ranks, [&](const parallel::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const DistributedTree<D> piece(tree.domain(),
                                   {leaves.begin() + cuts[rank], leaves.begin() + cuts[rank + 1]}, partition,
                                   communicator);
    census.costs[rank] = rank_costs(levels ? piece.placed(*levels) : piece, traits, patch_size);
  });
  return census;
}

template Census census_of<2>(const std::string&, const DistributedTree<2>&, int, bool, const solvers::Traits&,
                             int);
template Census census_of<3>(const std::string&, const DistributedTree<3>&, int, bool, const solvers::Traits&,
                             int);

}  // namespace meander::bench
