// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rows of each rank's leaves in tables that are ordered by level, then along the curve.

#include <cstdint>
#include <span>
#include <vector>

#include "io/plot_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

struct LevelRows {
  int level = 0;                    // of the spacetree
  std::int64_t all = 0;             // number of leaves of all ranks
  std::int64_t first = 0;           // row of this rank's first leaf, after those of lower ranks
  std::vector<std::size_t> leaves;  // indices among this rank's leaves

  std::int64_t rows() const { return static_cast<std::int64_t>(leaves.size()); }
};

// All levels from the coarsest to the finest that have leaves. `first` and `leaves` differ between ranks.
// Throws Failure (several ranks: parallel::AgreedFailure) that names `path` if there is no leaf, or if a
// level in between has none, which readers cannot handle. Collective.
std::vector<LevelRows> level_rows(const std::string& path, std::span<const PlotLeaf> leaves,
                                  const parallel::Communicator& communicator);

}  // namespace meander::io
