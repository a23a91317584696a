// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The status of many patches, merged by the host's rule and by BlockReduce.

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "solvers/block_reflux.hpp"
#include "tests/solvers/block_batch.hpp"

namespace meander::solvers::test {

// The status of `count` patches, numbered in a random order.
struct RandomStatus {
  std::vector<DevicePatch> patches;
  std::vector<PatchStatus> status;
  std::vector<std::int32_t> leaf;

  RandomStatus(int count, unsigned seed) {
    std::mt19937 random(seed);
    for (std::int32_t n = 0; n < count; ++n) leaf.push_back(n);
    std::shuffle(leaf.begin(), leaf.end(), random);
    patches.resize(leaf.size());
    status.resize(leaf.size());
    for (std::size_t n = 0; n < leaf.size(); ++n) {
      patches[n].dx = random() % 2 == 0 ? 0.1 : 0.3;
      patches[n].level = patches[n].dx == 0.1 ? 19 : 1;
      PatchStatus& of = status[n];
      of.max_rate = random() % 7 == 0   ? std::numeric_limits<double>::quiet_NaN()
                    : random() % 7 == 0 ? 0.0
                                        : 1e-3 * static_cast<double>(random() % 1000);
      of.first_order = static_cast<std::int64_t>(random()) << 8;
      of.floored = static_cast<std::int64_t>(random()) << 8;
      of.strayed = static_cast<std::int64_t>(random() % 3);
      of.admissible = random() % 100 > 0;
      if (random() % 50 > 0) continue;
      of.breach = {static_cast<int>(random() % most_bounds), static_cast<int>(random() % 100), 0.5};
    }
  }

  // As HostPlace::status(): in the order of the leaves.
  Status merged() const {
    Status all;
    std::ranges::fill(all.crossing, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> place(leaf.size());
    for (std::size_t n = 0; n < leaf.size(); ++n) place[static_cast<std::size_t>(leaf[n])] = n;
    for (std::size_t number = 0; number < place.size(); ++number) {
      const std::size_t n = place[number];
      const PatchStatus& of = status[n];
      double& crossing = all.crossing[patches[n].level];
      crossing = std::min(crossing, patches[n].dx / of.max_rate);
      all.first_order += of.first_order;
      all.floored += of.floored;
      all.strayed += of.strayed;
      const auto first = static_cast<std::int32_t>(number);
      if (of.breach.bound >= 0 && all.breached[of.breach.bound].leaf < 0)
        all.breached[of.breach.bound] = {first, of.breach};
      if (!of.admissible && all.inadmissible < 0) all.inadmissible = first;
      all.failed = all.failed || !of.admissible;
    }
    return all;
  }

  template <class Launcher>
  Status reduced(const Launcher& launcher) const {
    std::vector<Status> scratch(ReduceBatch::lanes);
    for (Status& any : scratch) std::ranges::fill(any.crossing, -1.0);  // of an earlier step
    ReduceBatch batch;
    batch.count = static_cast<int>(patches.size());
    batch.patches = patches.data();
    batch.status = status.data();
    batch.leaf = leaf.data();
    batch.merged = scratch.data();
    launcher(BlockReduce(batch), 1);
    return scratch[0];
  }
};

inline bool same_bits(const Status& a, const Status& b) {
  bool all = a.failed == b.failed && a.first_order == b.first_order && a.floored == b.floored &&
             a.strayed == b.strayed && a.inadmissible == b.inadmissible &&
             std::ranges::equal(a.crossing, b.crossing);
  for (int n = 0; n < most_bounds; ++n) {
    all = all && a.breached[n].leaf == b.breached[n].leaf &&
          a.breached[n].breach.volume == b.breached[n].breach.volume &&
          bits(a.breached[n].breach.value) == bits(b.breached[n].breach.value);
  }
  return all;
}

}  // namespace meander::solvers::test
