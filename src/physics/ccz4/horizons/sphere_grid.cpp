// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/horizons/sphere_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/ccz4/gauss_legendre.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;

// Normalised associated Legendre functions N P_l^m(cos theta), m >= 0, by recursion in l (stable for all l and m).
// Index: mode_index(l, m).
std::vector<double> legendre(int l_max, double cosine, double sine) {
  std::vector<double> p(mode_count(l_max), 0.0);
  double diagonal = std::sqrt(1 / (4 * pi));
  for (int m = 0; m <= l_max; ++m) {
    if (m > 0) diagonal *= sine * std::sqrt((2 * m + 1) / (2.0 * m));
    double before = 0, here = diagonal;
    p[mode_index(m, m)] = here;
    for (int l = m + 1; l <= l_max; ++l) {
      const double l2 = l * l, m2 = m * m, previous = (l - 1) * (l - 1);
      const double a = std::sqrt((4 * l2 - 1) / (l2 - m2));
      const double b = std::sqrt((previous - m2) / (4 * previous - 1));
      const double next = a * (cosine * here - b * before);
      before = here;
      here = p[mode_index(l, m)] = next;
    }
  }
  return p;
}

// cos(m phi), sin(m phi) or 1, with the factor of the normalisation.
double around(int m, double phi) {
  if (m == 0) return 1;
  return std::numbers::sqrt2 * (m > 0 ? std::cos(m * phi) : std::sin(-m * phi));
}

}  // namespace

int degree_of(std::size_t mode) {
  int l = 0;
  while (mode_count(l) <= mode) ++l;
  return l;
}

std::vector<double> harmonics(int l_max, const std::array<double, 3>& direction) {
  const double cosine = std::clamp(direction[2], -1.0, 1.0), sine = std::hypot(direction[0], direction[1]);
  const double phi = std::atan2(direction[1], direction[0]);
  const std::vector<double> p = legendre(l_max, cosine, sine);
  std::vector<double> y(mode_count(l_max));
  for (int l = 0; l <= l_max; ++l) {
    for (int m = -l; m <= l; ++m) y[mode_index(l, m)] = p[mode_index(l, std::abs(m))] * around(m, phi);
  }
  return y;
}

SphereGrid::SphereGrid(int l_max_, int latitudes) : l_max(l_max_), modes(mode_count(l_max_)) {
  const int longitudes = 2 * latitudes;
  const std::size_t points = static_cast<std::size_t>(latitudes) * static_cast<std::size_t>(longitudes);
  for (auto* matrix : {&y, &of_t, &of_p, &of_tt, &of_tp, &of_pp}) matrix->reserve(points * modes);
  for (const LegendreNode& node : gauss_legendre(latitudes)) {
    const double cosine = node.cosine, sine = std::sqrt(1 - cosine * cosine);
    const std::vector<double> p = legendre(l_max, cosine, sine);
    for (int j = 0; j < longitudes; ++j) {
      theta.push_back(std::acos(cosine));
      phi.push_back(2 * pi * (j + 0.5) / longitudes);
      weight.push_back(node.weight * 2 * pi / longitudes);
      for (int l = 0; l <= l_max; ++l) {
        for (int m = -l; m <= l; ++m) {
          const int k = std::abs(m);
          const double here = p[mode_index(l, k)], below = l > k ? p[mode_index(l - 1, k)] : 0.0;
          // dP/dtheta from P_l and P_(l-1), the second derivative from Legendre's equation.
          const double ratio = l > 0 ? std::sqrt((2.0 * l + 1) / (2.0 * l - 1) * (l * l - k * k)) : 0.0;
          const double slope = (l * cosine * here - ratio * below) / sine;
          const double bend = -cosine / sine * slope - (l * (l + 1) - k * k / (sine * sine)) * here;
          const double wave = around(m, phi.back());
          const double turned = m == 0 ? 0.0 : -m * around(-m, phi.back());
          y.push_back(here * wave);
          of_t.push_back(slope * wave);
          of_p.push_back(here * turned);
          of_tt.push_back(bend * wave);
          of_tp.push_back(slope * turned);
          of_pp.push_back(-k * k * here * wave);
        }
      }
    }
  }
}

std::vector<SphereDerivatives> SphereGrid::evaluate(const std::vector<double>& a) const {
  std::vector<SphereDerivatives> result(size());
  for (std::size_t point = 0; point < size(); ++point) {
    SphereDerivatives& sum = result[point];
    const std::size_t row = point * modes;
    for (std::size_t n = 0; n < std::min(modes, a.size()); ++n) {
      sum.value += a[n] * y[row + n];
      sum.t += a[n] * of_t[row + n];
      sum.p += a[n] * of_p[row + n];
      sum.tt += a[n] * of_tt[row + n];
      sum.tp += a[n] * of_tp[row + n];
      sum.pp += a[n] * of_pp[row + n];
    }
  }
  return result;
}

std::vector<double> SphereGrid::project(const std::vector<double>& f) const {
  std::vector<double> result(modes, 0.0);
  for (std::size_t point = 0; point < size(); ++point) {
    for (std::size_t n = 0; n < modes; ++n) result[n] += weight[point] * f[point] * y[point * modes + n];
  }
  return result;
}

}  // namespace meander::ccz4
