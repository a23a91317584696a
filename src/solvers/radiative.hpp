// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Common parts of the fourth-order kernels of CPU and devices at radiative faces: the volumes next to them,
// and the values that a Radiating equation reads there. Usable in device code.

#include <cstddef>
#include <cstdint>

#include "solvers/math.hpp"

namespace meander::solvers {

// Whether volume (i, j, k) of a patch of p^3 volumes lies at one of these faces (PatchTask::radiative).
MEANDER_TERM bool at_radiative_face(std::uint8_t faces, int p, int i, int j, int k) {
  const auto at = [&](int axis, int index) {
    return (index == 0 && (faces >> (2 * axis) & 1) != 0) ||
           (index == p - 1 && (faces >> (2 * axis + 1) & 1) != 0);
  };
  return faces != 0 && (at(0, i) || at(1, j) || at(2, k));
}

// The unknowns of one volume and their fourth-order central differences, evaluated on request.
class CentredPoint {
 public:
  // centre: the first unknown. Strides: between unknowns, and between volumes along the axes.
  MEANDER_HOST_DEVICE CentredPoint(const double* centre, std::ptrdiff_t unknown_stride,
                                   const std::ptrdiff_t (&strides)[3], double dx)
      : centre_(centre),
        unknown_stride_(unknown_stride),
        strides_{strides[0], strides[1], strides[2]},
        near_(2.0 / (3.0 * dx)),
        far_(-1.0 / (12.0 * dx)) {}

  MEANDER_TERM double value(int n) const { return centre_[n * unknown_stride_]; }
  MEANDER_TERM double slope(int axis, int n) const {
    const double* q = centre_ + n * unknown_stride_;
    const std::ptrdiff_t s = strides_[axis];
    return fma(near_, q[s] - q[-s], far_ * (q[2 * s] - q[-2 * s]));
  }

 private:
  const double* centre_;
  std::ptrdiff_t unknown_stride_, strides_[3];
  double near_, far_;
};

}  // namespace meander::solvers
