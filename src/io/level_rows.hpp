// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the leaves of each rank stand in tables that hold level after level, in curve order.

#include <cstdint>
#include <span>
#include <vector>

#include "io/plot_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

struct LevelRows {
  int level = 0;                    // the spacetree's
  std::int64_t all = 0;             // leaves of all ranks
  std::int64_t first = 0;           // row of this rank's first leaf; those of lower ranks come before
  std::vector<std::size_t> leaves;  // of this rank: which they are among its own

  std::int64_t rows() const { return static_cast<std::int64_t>(leaves.size()); }
};

// All levels from the coarsest that has leaves to the finest, the same on all ranks but for `first` and
// `leaves`. Throws Failure (several ranks: parallel::AgreedFailure) if there is no leaf, or a level in
// between without one: readers go wrong there. `path`: named by it. Collective.
std::vector<LevelRows> level_rows(const std::string& path, std::span<const PlotLeaf> leaves,
                                  const parallel::Communicator& communicator);

}  // namespace meander::io
