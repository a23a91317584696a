// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sums over spherical (2D: circular) shells about a centre, over the volumes of one leaf: of the excess of its first
// unknown over a constant, and of the radial component of the vector that follows. The definition is that of
// simulation/diagnostics/shell_sums.hpp, the operations are those of block_shells.hpp.

#include <cstdint>

#include "solvers/solver.hpp"

namespace meander::solvers {

struct LeafShells {
  double centre[3] = {0, 0, 0};
  double constant = 0;
  double excess_scale = 1, radial_scale = 1;  // integers a unit of the integral

  // Four integers a slot: whole integrals of excess and radial component, and the parts above the slot's edge.
  static constexpr int slot_size = 4;
  struct Edges {
    double per_width = 1;  // 1 / their distance
    int first = 0;         // that of the first slot; no volume has a lower one
    int last = 0;          // of all volumes beyond it, too
  };
  // Adds the volumes of a patch to the slots of their edges. Allocates the thread's workspace only.
  void add(const PatchTask& patch, const PatchLayout& layout, const Edges& edges, std::uint64_t* slots) const;
};

}  // namespace meander::solvers
