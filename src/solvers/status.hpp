// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The status of all patches after a step, with one rule for hosts, devices and ranks. Minima and integer sums are
// exact, and of several reports that of the lowest leaf remains: merges have the same result in any order. Usable in
// device code.

#include <array>

#include "solvers/math.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

struct Status {
  static constexpr int most_levels = 20;  // of a tree: at least one more than Key::max_level
  // By level, the least dx / max_rate: the step at Courant number 1; infinite without leaves or waves.
  std::array<double, most_levels> crossing;
  // Sums over leaves of the counts in PatchStatus.
  std::int64_t first_order = 0, floored = 0, strayed = 0;
  std::int32_t inadmissible = -1;  // the first leaf with an inadmissible state, or -1
  bool failed = false;             // there is one, on any of the ranks that were merged
  // For each bound of the solver, the first leaf that reports a breach, or -1, and the report.
  struct Breached {
    std::int32_t leaf = -1;
    Breach breach;
  };
  Breached breached[most_bounds];

  MEANDER_HOST_DEVICE Status() {
    for (double& of_level : crossing) of_level = __builtin_huge_val();
  }

  MEANDER_TERM double min_crossing() const {
    double least = crossing[0];
    for (const double of_level : crossing) least = min(of_level, least);
    return least;
  }

  // Adds leaf number `leaf`. A rate that is NaN has no crossing time; its state is inadmissible.
  MEANDER_TERM void add(std::int32_t leaf, int level, double dx, const PatchStatus& status) {
    crossing[level] = min(dx / status.max_rate, crossing[level]);
    first_order += status.first_order;
    floored += status.floored;
    strayed += status.strayed;
    if (!status.admissible) note_inadmissible(leaf);
    if (status.breach.bound >= 0) note(status.breach.bound, {leaf, status.breach});
  }

  // Adds the leaves of another part of the mesh, numbered as these.
  MEANDER_TERM void add(const Status& other) {
    for (int level = 0; level < most_levels; ++level)
      crossing[level] = min(other.crossing[level], crossing[level]);
    first_order += other.first_order;
    floored += other.floored;
    strayed += other.strayed;
    if (other.inadmissible >= 0) note_inadmissible(other.inadmissible);
    for (int bound = 0; bound < most_bounds; ++bound) {
      if (other.breached[bound].leaf >= 0) note(bound, other.breached[bound]);
    }
  }

 private:
  MEANDER_TERM static bool precedes(std::int32_t leaf, std::int32_t first) {
    return first < 0 || leaf < first;
  }
  MEANDER_TERM void note_inadmissible(std::int32_t leaf) {
    failed = true;
    if (precedes(leaf, inadmissible)) inadmissible = leaf;
  }
  MEANDER_TERM void note(int bound, const Breached& report) {
    if (precedes(report.leaf, breached[bound].leaf)) breached[bound] = report;
  }
};

// Adds a later status of the same patch: counts add up, rates are the latest, the first breach remains.
MEANDER_TERM void add_to_status(PatchStatus& status, const PatchStatus& later) {
  status.max_rate = later.max_rate;
  status.first_order += later.first_order;
  status.floored += later.floored;
  status.strayed += later.strayed;
  if (status.breach.bound < 0) status.breach = later.breach;
  status.admissible = status.admissible && later.admissible;
}

}  // namespace meander::solvers
