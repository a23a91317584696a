// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The patch of a cell, for a solver.

#include <algorithm>

#include "mesh/boundary_fill.hpp"
#include "mesh/spacetree.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// The slot of a patch with its stage blocks.
inline std::size_t slot_doubles(const solvers::PatchLayout& layout, const solvers::Traits& traits) {
  return static_cast<std::size_t>(layout.slot_size() + traits.stage_blocks * layout.stage_block_size());
}

// slot: of that cell, with stage blocks after it if has_stages; or null.
template <int D>
solvers::PatchTask patch_task(const Domain<D>& domain, const solvers::PatchLayout& layout,
                              const BoundaryFill<D>& boundaries, const Cell<D>& cell, double* slot,
                              bool has_stages) {
  solvers::PatchTask patch;
  patch.q = slot;
  if (slot != nullptr && has_stages) patch.stages = slot + layout.slot_size();
  patch.dx = domain.width(cell.level) / layout.p;
  const Point<D> lower = domain.lower_corner(cell);
  std::copy(lower.begin(), lower.end(), patch.lower);
  const int cells_of_base = ipow(3, cell.level - domain.base_level);
  for (std::size_t a = 0; a < D; ++a) {
    const int last = domain.base_cells[a] * cells_of_base - 1;
    for (std::size_t side = 0; side < 2; ++side) {
      if (boundaries.condition(static_cast<int>(2 * a + side)).radiative &&
          cell.at[a] == (side == 0 ? 0 : last))
        patch.radiative = static_cast<std::uint8_t>(patch.radiative | 1u << (2 * a + side));
    }
  }
  return patch;
}

}  // namespace meander::mesh
