// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Values at points between the centres of volumes, from the interior of the one patch that holds the point:
// tensor products of Lagrange polynomials through up to six volumes an axis (sixth order), 3D. Halos are not
// read, so that nothing depends on how they were filled.

#include <array>
#include <cstddef>

#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

struct PointStencil {
  static constexpr int most_nodes = 6;
  int nodes = 0;  // along each axis
  std::array<int, 3> first{};
  double weight[3][most_nodes] = {};
};

// Whether the point lies in the closed patch, give or take what rounding does to its faces: points on a face
// belong to all patches that touch it.
bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
           const std::array<double, 3>& x);

PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const std::array<double, 3>& x);

// values: of volume (0, 0, 0); neighbours along the axes lie stride[axis] doubles apart.
double interpolate(const PointStencil& stencil, const double* values,
                   const std::array<std::ptrdiff_t, 3>& stride);

}  // namespace meander::simulation
