// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies between patches of one level.

#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::solvers {

// destination[i] = source[i + shift] for all volumes i of the box and all unknowns. Reads the source's
// interior only.
template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift);

// Packs the volumes of the box, unknown by unknown, x fastest, for messages; and unpacks them into a patch.
template <int D>
void pack(const PatchLayout& layout, const double* patch, const Box<D>& box, double* packed);
template <int D>
void unpack(const PatchLayout& layout, double* patch, const Box<D>& box, const double* packed);

}  // namespace meander::solvers
