// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unknowns and their derivatives at points between the centres of volumes, 3D: the tensor product of Lagrange
// polynomials through six volumes along each axis, three on either side of the point. Values are of sixth
// order, derivatives of fifth; polynomials of degree 5 in each coordinate are reproduced.
//
// Stencils cross the faces of the leaf and read its halo, edges and corners included. Leaves of one level
// read the same volumes for a point on their common face, so that the interpolant is continuous there.
// Stencils are shifted inwards where they would read
// - inexact halos (inexact_halos.hpp): those prolonged from coarser leaves are of lower order than the
//   interpolant. At a resolution jump the finer leaf reads its own volumes only, the coarser leaf the
//   restricted ones of the finer;
// - beyond the slot, where the halo is narrower than three volumes.
// Shifted stencils have the same order, but continuity is lost. If fewer than six volumes remain along an
// axis, the stencil uses all of them, and the order decreases by one for each missing volume.

#include <array>
#include <cstdint>

#include "simulation/state_view.hpp"

namespace meander::simulation {

using SamplePoint = std::array<double, 3>;
using solvers::PointQuery;
using solvers::PointStencil;

// Whether the point lies in the closed patch, up to rounding of its faces. Points on a face belong to all
// patches that touch it.
bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x);

// The stencil of a point that the patch holds. inexact_halos: see StateView.
PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x, std::uint32_t inexact_halos = 0);

bool reads_halo(const PointStencil& stencil, int p);

// Sets sample[query.sample_size()]. Reads the whole halo as far as the stencil does.
void sample_at(const PointStencil& stencil, const solvers::PatchTask& patch,
               const solvers::PatchLayout& layout, const PointQuery& query, double* sample);

}  // namespace meander::simulation
