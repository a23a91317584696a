// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patch operations of a multigrid method for Poisson's equation, Laplacian(u) = f, with u at the centres of volumes and
// 2 D + 1 points: A u = sum over faces of (u beyond the face - u) / h^2.
//
// A patch has one layer of halo across its faces. Beside a coarser leaf the halo holds ghost = u1 + (u_c - u2) / 3: u1 and
// u2 are the first and second volume inwards, u_c the coarse potential at their tangential place, by quadratic
// interpolation of 3^(D-1) coarse volumes. The gradient through the face is then (u_c - u2) / (3 h), since the coarse centre
// lies three fine widths from u2. The coarse volume beyond takes the mean of the 3^(D-1) fine gradients.
//
// All layouts have one unknown and h = 1, and p >= 3. A face is 2 * axis + side; its plane is the halo layer beyond it. A
// child is the position of a fine patch in its refined cell, 0 to 2 along each axis.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/vec.hpp"
#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::solvers::poisson {

// The derivative of a ghost by the volume inside of it: 1 for jumps and mirrors, -1 where the face has a given value, 0
// where the halo is a copy. By face.
template <int D>
using GhostSlopes = Vec<std::int8_t, 2 * D>;

// Sets the halos beyond faces to the volumes of the slots there, by face; null leaves them as they are. With a colour: only those
// that its relaxation reads.
template <int D>
void copy_beside(const PatchLayout& layout, double* u, const Vec<const double*, 2 * D>& beside,
                 std::optional<int> colour = {});

// omega over the diagonal of A with ghosts eliminated, for the volumes of a patch whose indices have a sum of one parity; 0 for
// others. As planes of volumes with what lies between their rows.
template <int D>
class RelaxationWeights {
 public:
  RelaxationWeights(const PatchLayout& layout, const GhostSlopes<D>& slopes, double omega);
  // Of the plane at index k of the last axis (2D: the patch, k = 0), for volumes in it of that parity.
  const double* plane(int k, int parity) const;

 private:
  static constexpr int inner = 0, first = 1, last = 2;  // planes
  int p_;
  std::size_t length_;
  std::vector<double> weights_;  // [plane][parity][offset]
};

// Relaxes the volumes whose indices have a sum of parity `colour`: u += weight * residual. Reads halos across faces.
template <int D>
void relax(const PatchLayout& layout, double* u, const double* f, double h,
           const RelaxationWeights<D>& weights, int colour);

// r = f - A u, and f += A u, in the interior; r in part of its halo, too.
template <int D>
void residual(const PatchLayout& layout, const double* u, const double* f, double h, double* r);
// The differences of the two volumes beside each one, along each axis, and h^2 A u: [axis][volume] and [volume].
template <int D>
void differences(const PatchLayout& layout, const double* u, double* first, double* second);
template <int D>
void add_laplacian(const PatchLayout& layout, const double* u, double h, double* f);

// u += the linear interpolation of a coarse correction, the slot of the refined cell with its whole halo.
template <int D>
void prolong(const PatchLayout& layout, double* u, const double* coarse, const Index<D>& child);
// The coarse volumes that prolong() and interpolate_plane() read.
template <int D>
Box<D> prolongation_support(const PatchLayout& layout, const Index<D>& child);

// Sets the plane of `to` to u_c, from the slot of the refined cell, whose halo holds the coarser leaf.
template <int D>
void interpolate_plane(const PatchLayout& layout, double* to, const double* coarse, const Index<D>& child,
                       int face);
// Sets the ghosts beyond a face from the plane of u_c.
template <int D>
void fill_jump(const PatchLayout& layout, double* u, const double* u_c, int face);

// Sets the three layers inside of a face to the outward gradient through it, so that their mean over a coarse volume is
// that of the gradients.
template <int D>
void spread_gradient(const PatchLayout& layout, const double* u, double h, int face, double* to);
// Of a refined cell beside a leaf of its level: replaces the mean outward gradient in the plane by the change of A u in the
// leaf, where that gradient takes the place of the difference to the refined cell.
template <int D>
void mismatch(const PatchLayout& layout, const double* u, double h, int face, double* plane);
// Adds factor * plane to the layer inside of the face, or to the plane of u itself.
template <int D>
void add_plane_inside(const PatchLayout& layout, double* f, const double* plane, int face, double factor);
template <int D>
void add_plane(const PatchLayout& layout, double* u, const double* plane, int face, double factor);

}  // namespace meander::solvers::poisson
