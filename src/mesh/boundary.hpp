// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What lies beyond the domain, side by side.

#include <cstdint>
#include <functional>

#include "base/vec.hpp"

namespace meander::mesh {

// Sommerfeld: waves leave; the halo is extrapolated, and the scheme does the rest
// (solvers::Traits::radiates).
enum class BoundaryKind : std::uint8_t { periodic, outflow, reflecting, given, sommerfeld };

template <int D>
using Boundaries = Vec<BoundaryKind, 2 * D>;  // face = 2 * axis + side

// Writes the unknowns beyond a `given` boundary: point x (D numbers), volume width dx, time t, N unknowns
// out.
using GivenBoundary = std::function<void(const double* x, double dx, double t, double* q)>;

}  // namespace meander::mesh
