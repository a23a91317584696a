// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Order of a parameter sweep with a time limit: the corners of the grid first, then successive bisections, so
// that a sweep that ends early covers the whole range at a lower resolution.

#include <algorithm>
#include <vector>

namespace meander::bench {

// The round of each of `count` values on an axis: 0 for the first and the last, 1 for the middle one, ...
inline std::vector<int> rounds_of_axis(int count) {
  std::vector<int> rounds(static_cast<std::size_t>(count), 0);
  std::vector<int> known{0, count - 1};
  for (int round = 1; known.size() < rounds.size(); ++round) {
    std::vector<int> next;
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
      next.push_back(known[i]);
      if (const int middle = (known[i] + known[i + 1]) / 2; middle > known[i]) {
        rounds[static_cast<std::size_t>(middle)] = round;
        next.push_back(middle);
      }
    }
    next.push_back(known.back());
    known = std::move(next);
  }
  return rounds;
}

struct Setting {
  int threads = 0, batch = 0;
};

// All pairs, by round. The round of a pair is the maximum of the rounds of its two values.
inline std::vector<std::vector<Setting>> rounds_of(const std::vector<int>& threads,
                                                   const std::vector<int>& batches) {
  const auto by_threads = rounds_of_axis(static_cast<int>(threads.size()));
  const auto by_batch = rounds_of_axis(static_cast<int>(batches.size()));
  std::vector<std::vector<Setting>> rounds;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const auto round = static_cast<std::size_t>(std::max(by_threads[t], by_batch[b]));
      if (rounds.size() <= round) rounds.resize(round + 1);
      rounds[round].push_back({threads[t], batches[b]});
    }
  }
  return rounds;
}

}  // namespace meander::bench
