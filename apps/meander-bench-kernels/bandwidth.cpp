// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

namespace meander::bench {

double copy_bandwidth(ThreadTeam& team, std::size_t bytes) {
  constexpr int repeats = 7;
  const auto from = std::make_unique<char[]>(bytes), to = std::make_unique<char[]>(bytes);
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    team.for_chunks(bytes, [&](int, std::size_t begin, std::size_t end) {
      std::memcpy(to.get() + begin, from.get() + begin, end - begin);
    });
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * static_cast<double>(bytes) / elapsed.count());
  }
  return best;
}

}  // namespace meander::bench
