// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The result of a run, small enough to compare between ranks: position of each leaf and a hash of its
// unknowns.

#include <gtest/gtest.h>
#include <algorithm>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "physics/ccz4/diagnostics/puncture_tracker.hpp"
#include "simulation/module.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

inline const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

struct LeafOutcome {
  std::int64_t number = 0;  // along the curve
  std::int32_t level = 0, at[3] = {0, 0, 0};
  std::uint64_t hash = 0;
  friend bool operator==(const LeafOutcome&, const LeafOutcome&) = default;
};

struct Outcome {
  std::vector<LeafOutcome> leaves;    // of all ranks, along the curve
  std::vector<double> figures;        // time, dt, totals, measures
  std::vector<std::int64_t> numbers;  // step, counters, leaves by level
};

// FNV-1a over the bits of the interior.
inline std::uint64_t hash_of(const solvers::PatchLayout& layout, const double* slot) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int u = 0; u < layout.unknowns; ++u) {
    for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j) {
        for (int i = 0; i < layout.p; ++i) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, slot + layout.at(u, i, j, k), sizeof bits);
          hash = (hash ^ bits) * 0x100000001b3;
        }
      }
    }
  }
  return hash;
}

// The outcome of a simulation, equal on all its ranks. Collective.
inline Outcome outcome_of(Simulation& simulation) {
  const StateView view = simulation.view();
  const auto indices = simulation.leaf_indices();
  std::vector<LeafOutcome> own(view.patches.size());
  for (std::size_t leaf = 0; leaf < own.size(); ++leaf) {
    own[leaf].number = view.numbers[leaf];
    own[leaf].level = view.levels[leaf];
    for (std::size_t a = 0; a < 3; ++a) own[leaf].at[a] = indices[leaf][a];
    own[leaf].hash = hash_of(view.layout, view.patches[leaf].q);
  }
  Outcome outcome;
  outcome.leaves = simulation.communicator().all_gather<LeafOutcome>(std::span<const LeafOutcome>(own));
  std::ranges::sort(outcome.leaves, {}, &LeafOutcome::number);
  outcome.figures = {simulation.time(), simulation.last_dt()};
  for (const double total : simulation.totals()) outcome.figures.push_back(total);
  for (const Measure& measure : simulation.measures()) outcome.figures.push_back(measure.value);
  outcome.numbers = {simulation.step(), simulation.volume_updates(), simulation.treated_volumes().first_order,
                     simulation.treated_volumes().floored, simulation.leaves().total};
  for (const std::int64_t leaves : simulation.leaves().per_level) outcome.numbers.push_back(leaves);
  return outcome;
}

// The result of one rank without the others: computed by the root, returned on all ranks. Collective.
template <class Run>
Outcome alone(const Run& run) {
  Outcome outcome;
  world().agree([&] {
    if (world().is_root()) outcome = run(parallel::Communicator{});
  });
  world().broadcast(outcome.leaves);
  world().broadcast(outcome.figures);
  world().broadcast(outcome.numbers);
  return outcome;
}

inline void expect_same(const Outcome& outcome, const Outcome& reference, const std::string& whose) {
  SCOPED_TRACE(whose);
  EXPECT_EQ(outcome.numbers, reference.numbers);
  ASSERT_EQ(outcome.figures.size(), reference.figures.size());
  for (std::size_t i = 0; i < outcome.figures.size(); ++i) {
    EXPECT_EQ(std::memcmp(&outcome.figures[i], &reference.figures[i], sizeof(double)), 0)
        << "figure " << i << ": " << outcome.figures[i] << " for " << reference.figures[i];
  }
  ASSERT_EQ(outcome.leaves.size(), reference.leaves.size());
  std::size_t different = 0, first = 0;
  for (std::size_t leaf = outcome.leaves.size(); leaf-- > 0;) {
    if (outcome.leaves[leaf] == reference.leaves[leaf]) continue;
    ++different;
    first = leaf;
  }
  EXPECT_EQ(different, 0u) << "of " << outcome.leaves.size() << " leaves; the first is " << first
                           << ", level " << outcome.leaves[first].level << " at "
                           << outcome.leaves[first].at[0] << ", " << outcome.leaves[first].at[1] << ", "
                           << outcome.leaves[first].at[2];
}

}  // namespace meander::simulation
