// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Phases of the benchmark, the same for both libraries. Each round starts from one cube that is refined from
// uniform level 1 by a fractal rule in one call.

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
  balance,     // of the evenly partitioned fractal, over faces, edges and corners
  partition,   // moves 40 % of the balanced leaves; not measured on one rank
  ghosts,      // of the evenly partitioned, balanced leaves, over faces, edges and corners; not on one rank
  neighbours,  // lists of neighbouring leaves and ghosts, over faces, edges and corners
  points,      // search of the leaves of this rank that contain any of 100000 points
  phases
};
inline constexpr std::array<const char*, phases> phase_names = {
    "refine", "coarsen, one pass", "balance", "partition", "ghost layer", "neighbour lists", "find points"};
inline constexpr int start_level = 1;
inline constexpr std::size_t points_located = 100000;
inline constexpr double moved_share = 0.4;

// Result of one round: time of this rank, and number of leaves (points) of all ranks.
struct Sample {
  std::array<double, phases> seconds{};
  std::array<double, phases> items{};
};

// Wall-clock timer. The constructor is collective: it starts after a barrier.
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

// Cuts at (r / ranks)^e, where the exponent e is such that repartitioning from even_cuts moves `share` of the
// leaves.
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

// Executes one round with a tree of `depth` levels. Collective.
template <int D>
Sample meander_round(int depth, const parallel::Communicator& communicator);
template <int D>
Sample p4est_round(int depth, const parallel::Communicator& communicator);

}  // namespace meander::bench
