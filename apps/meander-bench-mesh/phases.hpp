// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What both libraries do, in the same order, to the same kind of tree: one cube, refined at once from uniform
// level 1 by a fractal rule.

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/vec.hpp"
#include "parallel/communicator.hpp"

namespace meander::bench {

enum Phase : std::size_t {
  refine,      // from level 1 to the fractal
  coarsen,     // one pass over the fractal
  balance,     // the fractal, evenly cut, over faces, edges and corners
  partition,   // 40 % of the balanced leaves move; nothing on one rank
  ghosts,      // of the balanced leaves, evenly cut, over faces, edges and corners; nothing on one rank
  neighbours,  // lists of leaves and ghosts, likewise
  points,      // the leaves of this rank that hold some of 100000 points
  phases
};
inline constexpr std::array<const char*, phases> phase_names = {
    "refine", "coarsen, one pass", "balance", "partition", "ghost layer", "neighbour lists", "find points"};
inline constexpr int start_level = 1;
inline constexpr std::size_t points_located = 100000;
inline constexpr double moved_share = 0.4;

// Of one round: what this rank took, and how many leaves (points) all ranks treated.
struct Sample {
  std::array<double, phases> seconds{};
  std::array<double, phases> items{};
};

// Starts when all ranks have arrived.
class Timer {
 public:
  explicit Timer(const parallel::Communicator& communicator) {
    communicator.barrier();
    begin_ = std::chrono::steady_clock::now();
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

inline std::vector<std::int64_t> even_cuts(std::int64_t leaves, int ranks) {
  std::vector<std::int64_t> cuts;
  for (int r = 0; r <= ranks; ++r) cuts.push_back(leaves / ranks * r + leaves % ranks * r / ranks);
  return cuts;
}

// Cuts so far off the even ones that a share of the leaves has to move: at (r / ranks)^e.
inline std::vector<std::int64_t> shifted_cuts(std::int64_t leaves, int ranks, double share) {
  const auto even = even_cuts(leaves, ranks);
  if (ranks == 1) return even;
  std::vector<std::int64_t> cuts = even;
  double low = 1, high = 100;
  for (int step = 0; step < 50; ++step) {
    const double exponent = 0.5 * (low + high);
    std::int64_t stay = 0;
    for (std::size_t r = 0; r < cuts.size(); ++r) {
      const double at = std::pow(static_cast<double>(r) / ranks, exponent);
      cuts[r] = static_cast<std::int64_t>(at * static_cast<double>(leaves));
      if (r > 0)
        stay += std::max<std::int64_t>(0, std::min(cuts[r], even[r]) - std::max(cuts[r - 1], even[r - 1]));
    }
    (static_cast<double>(leaves - stay) < share * static_cast<double>(leaves) ? low : high) = exponent;
  }
  return cuts;
}

template <int D>
std::vector<Point<D>> random_points() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Point<D>> points(points_located);
  for (auto& x : points) {
    for (double& coordinate : x) coordinate = uniform(random);
  }
  return points;
}

// One round with trees down to a level. Collective.
template <int D>
Sample meander_round(int depth, const parallel::Communicator& communicator);
template <int D>
Sample p4est_round(int depth, const parallel::Communicator& communicator);

}  // namespace meander::bench
