// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One cut of the curve, and one for each level, of the mesh of an input with local time steps, counted for any number of ranks of
// one thread each (mesh/step_path.hpp).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/rank_costs.hpp"

namespace meander::bench {

struct LevelCutCounts {
  std::string input;
  std::int64_t leaves = 0;
  int ranks = 1;
  // Of leaves in a step of the coarsest level: per rank; and the sum over levels of substeps times the leaves of a rank, rounded up.
  double even = 0;
  std::int64_t rounded = 0;
  struct Kind {
    std::int64_t path = 0;               // updates in succession
    std::vector<mesh::RankCosts> costs;  // of a stage of all levels
  } one, each;                           // a cut of the curve; of each level
};

// Of an input file or checkpoint, with the mesh and the ratios of its next step, which it takes on all threads of the machine.
// Throws InputError.
std::vector<LevelCutCounts> count_level_cuts(const std::string& file, std::span<const int> ranks);

// A Markdown table.
void print_level_cuts(std::span<const LevelCutCounts> all);

}  // namespace meander::bench
