// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patches for kernel tests: aligned slots filled with random admissible states, and access to their volumes.

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers::test {

class Patch {
 public:
  explicit Patch(const PatchLayout& patch_layout) : layout(patch_layout) {
    q = memory_.reserve(layout.slot_size());
    std::fill(q, q + layout.slot_size(), std::numeric_limits<double>::quiet_NaN());
  }
  Patch(const Patch& other) : Patch(other.layout) { std::copy(other.q, other.q + layout.slot_size(), q); }
  Patch& operator=(const Patch& other) {
    std::copy(other.q, other.q + layout.slot_size(), q);
    return *this;
  }

  double& at(int unknown, int i, int j, int k = 0) { return q[layout.at(unknown, i, j, k)]; }
  double at(int unknown, int i, int j, int k = 0) const { return q[layout.at(unknown, i, j, k)]; }
  std::vector<double> volume(int i, int j, int k = 0) const {
    std::vector<double> unknowns;
    for (int n = 0; n < layout.unknowns; ++n) unknowns.push_back(at(n, i, j, k));
    return unknowns;
  }
  PatchTask task(double dx) const {
    PatchTask result;
    result.q = q;
    result.dx = dx;
    return result;
  }

  PatchLayout layout;
  double* q = nullptr;

 private:
  Scratch memory_;
};

// Calls body(i, j, k) for volumes from -reach to p + reach - 1 along each axis (k = 0 in 2D).
template <class Body>
void for_volumes(const PatchLayout& layout, int reach, const Body& body) {
  const int planes = layout.dim == 3 ? reach : 0;
  for (int k = -planes; k < (layout.dim == 3 ? layout.p + reach : 1); ++k) {
    for (int j = -reach; j < layout.p + reach; ++j) {
      for (int i = -reach; i < layout.p + reach; ++i) body(i, j, k);
    }
  }
}

// The number of axes along which a volume lies outside the interior.
inline int axes_outside(const PatchLayout& layout, int i, int j, int k) {
  const auto outside = [&](int a) { return a < 0 || a >= layout.p ? 1 : 0; };
  return outside(i) + outside(j) + (layout.dim == 3 ? outside(k) : 0);
}

// Random gas: density and pressure in [0.1, 2], velocities in [-1, 1], independent in each volume. Halo
// volumes outside along more than max_outside axes are NaN.
inline void fill_random_gas(Patch& patch, unsigned seed, double gamma, int max_outside = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> positive(0.1, 2.0), velocity(-1.0, 1.0);
  const int dim = patch.layout.dim;
  for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
    if (axes_outside(patch.layout, i, j, k) > max_outside) return;
    const double rho = positive(engine);
    double kinetic = 0;
    patch.at(0, i, j, k) = rho;
    for (int a = 0; a < dim; ++a) {
      const double u = velocity(engine);
      patch.at(1 + a, i, j, k) = rho * u;
      kinetic += 0.5 * rho * u * u;
    }
    patch.at(1 + dim, i, j, k) = positive(engine) / (gamma - 1) + kinetic;
  });
}

// Whether a scheme with halos of this shape reads a volume of the slot.
inline bool is_read(const PatchLayout& layout, HaloShape shape, int i, int j, int k) {
  const int outside = axes_outside(layout, i, j, k);
  if (outside <= 1 || shape == HaloShape::full) return true;
  const auto in_first_layer = [&](int a) { return a >= -1 && a <= layout.p; };
  return shape == HaloShape::edges && outside == 2 && in_first_layer(i) && in_first_layer(j) &&
         (layout.dim == 2 || in_first_layer(k));
}
template <std::size_t D>
bool is_read(const PatchLayout& layout, HaloShape shape, const std::array<int, D>& i) {
  return is_read(layout, shape, i[0], i[1], D == 3 ? i[D - 1] : 0);
}

// Sets to NaN the halo volumes of a slot that a scheme with halos of this shape does not read.
inline void poison_unread(const PatchLayout& layout, double* q, HaloShape shape) {
  for_volumes(layout, layout.h, [&](int i, int j, int k) {
    if (is_read(layout, shape, i, j, k)) return;
    for (int n = 0; n < layout.unknowns; ++n)
      q[layout.at(n, i, j, k)] = std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace meander::solvers::test
