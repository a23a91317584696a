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
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

using SamplePoint = std::array<double, 3>;

struct PointStencil {
  static constexpr int most_nodes = 6;
  std::array<int, 3> nodes{};  // along each axis
  std::array<int, 3> first{};  // volume of the first node: from -h on
  double weight[3][most_nodes] = {};
  double slope[3][most_nodes] = {};  // of the derivative along that axis, 1 / length
};

// An unknown at a point.
struct PointValue {
  double value = 0;
  std::array<double, 3> derivative{};  // along each axis
};

// A point in the closed patch of a leaf of this rank.
struct HeldPoint {
  std::size_t leaf = 0, point = 0;
  PointStencil stencil;
};

// Whether the point lies in the closed patch, up to rounding of its faces. Points on a face belong to all
// patches that touch it.
bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x);

// All leaves of this rank that hold any of the points, in curve order, and the points of each in the given
// order. A point on a face is held by all leaves that touch it, possibly of several ranks. Fills the whole
// halos of leaves whose stencils read them. Collective.
std::vector<HeldPoint> hold_points(const StateView& view, std::span<const SamplePoint> points);
// As above for one of several sets of points at the same time: `filled` marks the leaves whose whole halos an earlier
// call filled. It is empty in the first call.
std::vector<HeldPoint> hold_points(const StateView& view, std::span<const SamplePoint> points,
                                   std::vector<char>& filled);

// The stencil of a point that the patch holds. inexact_halos: see StateView.
PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x, std::uint32_t inexact_halos = 0);

// Interpolates unknown unknowns[n] to result[n]; both spans have the same size. Reads the whole halo.
void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<double> result);
void gather(const PointStencil& stencil, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
            std::span<const int> unknowns, std::span<PointValue> result);

}  // namespace meander::simulation
