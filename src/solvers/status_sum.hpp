// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The status of a patch over several updates. Usable in device code.

#include "solvers/math.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

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
