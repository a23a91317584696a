// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include "physics/ccz4/horizons/measures.hpp"
#include "physics/ccz4/linear_algebra.hpp"

namespace meander::ccz4 {
namespace {

// Components of a tensor along an orthonormal pair of vectors.
struct Dyad {
  double e[2][2];
  explicit Dyad(const double (&q)[2][2]) {
    const double l = std::sqrt(q[0][0]), down = q[0][1] / l, rest = std::sqrt(q[1][1] - down * down);
    e[0][0] = 1 / l;
    e[0][1] = 0;
    e[1][0] = -down / (l * rest);
    e[1][1] = 1 / rest;
  }
};

}  // namespace

KillingPotentials killing_potentials(const SphereGrid& grid, const std::vector<SurfaceElement>& elements) {
  const std::size_t modes = grid.modes - 1, rows = 2 * grid.size();
  // Rows: the gradient, and the trace-free second derivatives, whose squares add up to the integrals.
  Matrix gradient(rows, modes), shear(rows, modes);
  double area = 0;
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const SurfaceElement& at = elements[n];
    const Dyad dyad(at.metric);
    area += grid.weight[n] * at.area;
    const double weight = std::sqrt(grid.weight[n] * at.area);
    const std::size_t row = 2 * n;
    const SphereGrid::Harmonics harmonics = grid.at(n);
    for (std::size_t m = 0; m < modes; ++m) {
      const SphereDerivatives y = harmonics[m + 1];
      const double slope[2] = {y.t, y.p};
      const double second[2][2] = {{y.tt, y.tp}, {y.tp, y.pp}};
      double covariant[2][2], along[2] = {}, bend[2][2] = {};
      for (int A = 0; A < 2; ++A) {
        for (int B = 0; B < 2; ++B) {
          covariant[A][B] =
              second[A][B] - at.connection[0][A][B] * slope[0] - at.connection[1][A][B] * slope[1];
          along[A] += dyad.e[A][B] * slope[B];
        }
      }
      for (int A = 0; A < 2; ++A) {
        for (int B = 0; B < 2; ++B) {
          for (int C = 0; C < 2; ++C) {
            for (int E = 0; E < 2; ++E) bend[A][B] += dyad.e[A][C] * dyad.e[B][E] * covariant[C][E];
          }
        }
      }
      gradient(row, m) = weight * along[0];
      gradient(row + 1, m) = weight * along[1];
      shear(row, m) = weight * std::numbers::sqrt2 / 2 * (bend[0][0] - bend[1][1]);
      shear(row + 1, m) = weight * std::numbers::sqrt2 * bend[0][1];
    }
  }
  const Eigenpairs pairs =
      generalized_eigenpairs(transposed_product(shear, shear), transposed_product(gradient, gradient));
  KillingPotentials result;
  for (std::size_t which = 0; which < 3; ++which) {
    result.eigenvalue[which] = pairs.values[which];
    std::vector<double>& z = result.z[which];
    z.assign(grid.modes, 0.0);
    for (std::size_t m = 0; m < modes; ++m) z[m + 1] = pairs.vectors(which, m);
    const std::vector<SphereDerivatives> at = grid.evaluate(z);
    double mean = 0, square = 0;
    for (std::size_t n = 0; n < grid.size(); ++n)
      mean += grid.weight[n] * elements[n].area * at[n].value / area;
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const double from_mean = at[n].value - mean;
      square += grid.weight[n] * elements[n].area * from_mean * from_mean;
    }
    const double scale = std::sqrt(area * area * area / (48 * std::numbers::pi * std::numbers::pi) / square);
    for (double& mode : z) mode *= scale;
  }
  return result;
}

}  // namespace meander::ccz4
