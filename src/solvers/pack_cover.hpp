// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Covers the interior volumes of one plane of a patch with as few packs as the flattened plane allows. A pack
// starts at the first uncovered volume, and may extend over the halo into the next row. For kernels with so
// much work in a volume that computing halo volumes in vain would cost more than this bookkeeping.

#include "solvers/patch_layout.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {

// Calls body(position) for every pack of `width` lanes in ascending order. Packs do not overlap.
template <int width, class Body>
void for_cover(const PatchLayout& layout, const PlaneMap& plane, const Body& body) {
  int i = 0;
  for (int j = 0; j < layout.p;) {
    body(static_cast<std::ptrdiff_t>(plane.at(i, j)));
    i += width;
    while (i >= layout.p) {
      i = (i < layout.edge() ? layout.edge() : i) - layout.edge();
      ++j;
    }
  }
}

}  // namespace meander::solvers
