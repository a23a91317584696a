// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Costs of ranks that are replayed in one process.

#include <algorithm>
#include <vector>

#include "mesh/rank_costs.hpp"
#include "parallel/rank_replay.hpp"

namespace meander::mesh::test {

// Everything but the times and the table.
inline std::vector<std::int64_t> counts_of(const RankCosts& c) {
  return {c.leaves,      c.border_leaves, c.ghosts,      c.coarse_cells,  c.ghost_patches,
          c.neighbours,  c.halo_messages, c.halo_bytes,  c.flux_messages, c.flux_bytes,
          c.patch_bytes, c.list_bytes,    c.buffer_bytes};
}

// Of all ranks, for a balanced tree with all its leaves and a table of first leaves, or placed by cuts of each level.
template <int D>
std::vector<RankCosts> replayed_costs(const Domain<D>& domain, std::span<const Key<D>> leaves,
                                      const std::vector<std::int64_t>& cuts, const solvers::Traits& traits,
                                      int patch_size, const LevelCuts<D>* levels = nullptr) {
  const auto partition = Partition<D>::with(
      cuts, [&](std::size_t rank) { return leaves[static_cast<std::size_t>(cuts[rank])]; });
  std::vector<RankCosts> all(cuts.size() - 1);
  parallel::replay_ranks(partition.size(), [&](const parallel::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const DistributedTree<D> piece(domain, {leaves.begin() + cuts[rank], leaves.begin() + cuts[rank + 1]},
                                   partition, communicator);
    all[rank] = rank_costs(levels == nullptr ? piece : piece.placed(*levels), traits, patch_size);
  });
  return all;
}

}  // namespace meander::mesh::test
