// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The values of volumes beyond the domain, one volume at a time. Usable in device code.

#include <cstddef>

#include "solvers/math.hpp"

namespace meander::solvers {

// A condition that copies a volume of the patch, with the sign of a reflection if it reflects. source()
// returns the index of that volume along the axis, for a halo index beyond face `side` of a patch of p
// volumes.
struct Outflow {
  static constexpr bool reflects = false;
  MEANDER_TERM static int source(int, int p, int side) { return side == 0 ? 0 : p - 1; }
};
struct Reflecting {
  static constexpr bool reflects = true;
  MEANDER_TERM static int source(int i, int p, int side) { return side == 0 ? -1 - i : 2 * p - 1 - i; }
};

// Outflow where the gas at the face leaves the domain, and a wall where it would enter: where the unknown `normal`, which
// points along the axis, has the sign of a vector into the domain.
struct Diode {
  // The first unknown that changes its sign under the reflection; 0 if none does.
  MEANDER_HOST_DEVICE static int normal(const double* signs, int unknowns) {
    for (int n = 0; n < unknowns; ++n) {
      if (signs[n] < 0) return n;
    }
    return 0;
  }
  // `at_face`: its value in the last volume before the face.
  MEANDER_TERM static bool leaves(double at_face, int side) {
    return side == 0 ? at_face <= 0 : at_face >= 0;
  }
};

// The polynomial through the last volumes before the face, cubic if the patch is wide enough. Differences
// that read it are one-sided.
class Extrapolation {
 public:
  enum : int { most_nodes = 4 };  // no static member: g++ 12 has none in target regions of OpenMP
  // `beyond`: 1 for the first volume beyond the face.
  MEANDER_HOST_DEVICE Extrapolation(int p, int beyond) : nodes_(p < most_nodes ? p : most_nodes) {
    for (int m = 0; m < nodes_; ++m) {
      weight_[m] = 1;
      for (int other = 0; other < nodes_; ++other) {
        if (other != m) weight_[m] *= static_cast<double>(-beyond - other) / (m - other);
      }
    }
  }
  // `edge`: the volume at the face. `inwards`: the stride away from the face.
  MEANDER_TERM double value(const double* edge, std::ptrdiff_t inwards) const {
    // A sum of differences to the nearest volume, which reproduces constants exactly.
    double sum = edge[0];
    for (int m = 1; m < nodes_; ++m) sum += weight_[m] * (edge[m * inwards] - edge[0]);
    return sum;
  }

 private:
  int nodes_;
  double weight_[most_nodes] = {};
};

}  // namespace meander::solvers
