// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Spherical harmonics of spin weight -2, which gravitational waves are expanded in, and points on the sphere.

#include <array>
#include <complex>
#include <vector>

namespace meander::ccz4 {

// -2Y_lm(theta, phi), l >= 2, |m| <= l, with the phases of Ajith et al. (2007, arXiv:0709.0093, eqs. II.7 and
// II.8), which are positive for l = 2. The recursion in l of Wigner's d functions (Varshalovich et al. 1988,
// sec. 4.8) is stable upwards from its first l = max(|m|, 2).
std::complex<double> spin_weighted_harmonic(int l, int m, double theta, double phi);

// Modes are numbered l by l, from l = 2 and m = -l on.
constexpr std::size_t wave_mode_count(int l_max) {
  return static_cast<std::size_t>((l_max + 1) * (l_max + 1) - 4);
}
constexpr std::size_t wave_mode_index(int l, int m) {
  return static_cast<std::size_t>(l * l - 4 + l + m);
}

struct SpherePoint {
  double theta = 0, phi = 0, weight = 0;  // weights sum up to 4 pi
  std::array<double, 3> direction{};
};

// Gauss-Legendre points in cos(theta), for each of them 2 * latitudes equal angles phi: exact for products of
// harmonics with l + l' < 2 * latitudes.
std::vector<SpherePoint> sphere_points(int latitudes);

}  // namespace meander::ccz4
