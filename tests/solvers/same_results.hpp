// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bitwise comparisons that return their result, where expect_same_bits() would report it.

#include <cstring>
#include <vector>

#include "tests/solvers/block_batch.hpp"

namespace meander::solvers::test {

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool same_bits(const PatchStatus& a, const PatchStatus& b) {
  return bits(a.max_rate) == bits(b.max_rate) && a.first_order == b.first_order && a.floored == b.floored &&
         a.strayed == b.strayed && a.breach.bound == b.breach.bound && a.breach.volume == b.breach.volume &&
         bits(a.breach.value) == bits(b.breach.value) && a.admissible == b.admissible;
}

// All values of the slot, halo included.
inline std::vector<double> contents(const Patch& patch) {
  std::vector<double> all;
  for (int u = 0; u < patch.layout.unknowns; ++u) {
    for_volumes(patch.layout, patch.layout.h,
                [&](int i, int j, int k) { all.push_back(patch.at(u, i, j, k)); });
  }
  return all;
}

// Whether two batches are bitwise equal after an update: slots, fluxes, stage blocks and status.
inline bool have_same_results(const Batch& a, const Batch& b) {
  for (std::size_t n = 0; n < a.slots.size(); ++n) {
    if (!same_bits(contents(a.slots[n]), contents(b.slots[n])) || !same_bits(a.status[n], b.status[n]) ||
        !same_bits(a.stages[n], b.stages[n]))
      return false;
  }
  for (std::size_t n = 0; n < a.fluxes.size(); ++n) {
    if (!same_bits(a.fluxes[n], b.fluxes[n])) return false;
  }
  return true;
}

}  // namespace meander::solvers::test
