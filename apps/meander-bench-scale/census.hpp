// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The costs of all ranks of a partition, counted in one process.

#include <functional>
#include <string>
#include <vector>

#include "mesh/rank_costs.hpp"

namespace meander::bench {

struct Census {
  std::string tree;
  int dim = 3, patch_size = 0, ranks = 1, stages = 1;
  int levels = 0;  // of the tree that have cells; balance exchanges once for each
  std::int64_t leaves = 0;
  std::vector<mesh::RankCosts> costs;  // by rank
  double cut_seconds = 0;              // CPU time to cut the curve of all leaves in this process

  // Mean and maximum over ranks.
  struct Spread {
    double mean = 0, max = 0;
  };
  Spread spread(const std::function<double(const mesh::RankCosts&)>& figure) const;
};

// Cuts the tree, which is on one rank, into `ranks` pieces of equal numbers of leaves, or its leaves of each level, and builds the
// tables of each.
template <int D>
Census census_of(const std::string& name, const mesh::DistributedTree<D>& tree, int ranks, bool by_levels,
                 const solvers::Traits& traits, int patch_size);

}  // namespace meander::bench
