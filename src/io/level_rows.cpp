// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/level_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace meander::io {

std::vector<LevelRows> level_rows(const std::string& path, std::span<const PlotLeaf> leaves,
                                  const parallel::Communicator& communicator) {
  std::int64_t coarsest = std::numeric_limits<int>::max(), finest = -1;
  for (const PlotLeaf& leaf : leaves) {
    coarsest = std::min<std::int64_t>(coarsest, leaf.level);
    finest = std::max<std::int64_t>(finest, leaf.level);
  }
  coarsest = communicator.min(coarsest);
  finest = communicator.max(finest);
  std::vector<LevelRows> levels(static_cast<std::size_t>(std::max<std::int64_t>(0, finest - coarsest + 1)));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    levels[static_cast<std::size_t>(leaves[i].level - coarsest)].leaves.push_back(i);
  }
  std::vector<std::int64_t> all;
  for (const LevelRows& level : levels) all.push_back(level.rows());
  communicator.sum(std::span(all));
  for (std::size_t n = 0; n < levels.size(); ++n) {
    levels[n].level = static_cast<int>(coarsest) + static_cast<int>(n);
    levels[n].all = all[n];
    levels[n].first = communicator.sum_of_lower_ranks(levels[n].rows());
  }
  communicator.agree([&] {
    if (levels.empty()) throw Failure(fmt::format("{}: cannot write: there are no leaves", path));
    for (const LevelRows& level : levels) {
      if (level.all == 0)
        throw Failure(fmt::format("{}: cannot write: level {} has no leaves", path, level.level));
    }
  });
  return levels;
}

}  // namespace meander::io
