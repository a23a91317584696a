// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Points on the unit sphere for integrals and expansions in real spherical harmonics: Gauss-Legendre points in
// cos(theta), equal angles phi. Mode number l * (l + 1) + m is sqrt(2) N P_l^m(cos theta) cos(m phi) for m > 0, with
// sin(|m| phi) for m < 0, without the factor sqrt(2) for m = 0; orthonormal over the sphere, without the phase of Condon
// and Shortley. A harmonic and its derivatives are products of a function of theta and one of phi, and only these are
// stored: of the latitudes and of the longitudes, for each mode.

#include <array>
#include <cstddef>
#include <vector>

namespace meander::ccz4 {

struct LegendreNode {
  double cosine, weight;  // weights sum up to 2
};

// Gauss-Legendre nodes from the north pole to the south pole, by Newton's method: exact for polynomials up to
// degree 2 * count - 1.
std::vector<LegendreNode> gauss_legendre(int count);

// Number of modes up to l_max.
constexpr std::size_t mode_count(int l_max) {
  return static_cast<std::size_t>((l_max + 1) * (l_max + 1));
}
constexpr std::size_t mode_index(int l, int m) {
  return static_cast<std::size_t>(l * (l + 1) + m);
}
// l of a mode.
int degree_of(std::size_t mode);

// The values of all modes up to l_max in one direction (a unit vector).
std::vector<double> harmonics(int l_max, const std::array<double, 3>& direction);

// Derivatives with respect to theta (t) and phi (p).
struct SphereDerivatives {
  double value = 0, t = 0, p = 0, tt = 0, tp = 0, pp = 0;
};

struct SphereGrid {
  // With `latitudes` times 2 * latitudes points: integrals of harmonics are exact up to degree 2 * latitudes - 1.
  SphereGrid(int l_max, int latitudes);

  std::size_t size() const { return weight.size(); }
  // sum a[mode] Y_mode and its derivatives at each point. a may have fewer modes, those of lower l.
  std::vector<SphereDerivatives> evaluate(const std::vector<double>& a) const;
  // The integrals of f[point] Y_mode over the unit sphere.
  std::vector<double> project(const std::vector<double>& f) const;

  // The harmonics at a point, by mode. Valid as long as the grid.
  struct Harmonics {
    const double *value, *slope, *bend, *ring, *wave, *turned;  // as those of the grid

    double y(std::size_t mode) const { return value[mode] * wave[mode]; }
    SphereDerivatives operator[](std::size_t mode) const {
      return {value[mode] * wave[mode], slope[mode] * wave[mode],   value[mode] * turned[mode],
              bend[mode] * wave[mode],  slope[mode] * turned[mode], ring[mode] * wave[mode]};
    }
  };
  Harmonics at(std::size_t point) const {
    const std::size_t i = point / longitudes * modes, j = point % longitudes * modes;
    return {&value[i], &slope[i], &bend[i], &ring[i], &wave[j], &turned[j]};
  }
  // Of a grid like that, in memory.
  static double bytes(int l_max, int latitudes);

  int l_max;
  std::size_t modes, longitudes;
  std::vector<double> theta, phi, weight;  // weights sum up to 4 pi

 private:
  // [latitude * modes + mode]: the function of theta, its derivatives, and itself times -m^2.
  std::vector<double> value, slope, bend, ring;
  std::vector<double> wave, turned;  // [longitude * modes + mode]: the function of phi and its derivative
};

}  // namespace meander::ccz4
