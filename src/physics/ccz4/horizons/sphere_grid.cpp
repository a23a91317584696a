// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/horizons/sphere_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

SphereGrid::SphereGrid(int l_max_, int latitudes)
    : l_max(l_max_), modes(mode_count(l_max_)), longitudes(2 * static_cast<std::size_t>(latitudes)) {
  const std::vector<LegendreNode> nodes = gauss_legendre(latitudes);
  const auto phi_of = [&](std::size_t j) {
    return 2 * pi * (static_cast<double>(j) + 0.5) / static_cast<double>(longitudes);
  };
  for (auto* by_latitude : {&value, &slope, &bend, &ring}) by_latitude->reserve(nodes.size() * modes);
  for (auto* by_longitude : {&wave, &turned}) by_longitude->reserve(longitudes * modes);
  for (auto* by_point : {&theta, &phi, &weight}) by_point->reserve(nodes.size() * longitudes);
  for (const LegendreNode& node : nodes) {
    const double cosine = node.cosine, sine = std::sqrt(1 - cosine * cosine);
    for (std::size_t j = 0; j < longitudes; ++j) {
      theta.push_back(std::acos(cosine));
      phi.push_back(phi_of(j));
      weight.push_back(node.weight * 2 * pi / static_cast<double>(longitudes));
    }
    const std::vector<double> p = legendre(l_max, cosine, sine);
    for (int l = 0; l <= l_max; ++l) {
      for (int m = -l; m <= l; ++m) {
        const int k = std::abs(m);
        const double here = p[mode_index(l, k)], below = l > k ? p[mode_index(l - 1, k)] : 0.0;
        // dP/dtheta from P_l and P_(l-1), the second derivative from Legendre's equation.
        const double ratio = l > 0 ? std::sqrt((2.0 * l + 1) / (2.0 * l - 1) * (l * l - k * k)) : 0.0;
        const double first = (l * cosine * here - ratio * below) / sine;
        value.push_back(here);
        slope.push_back(first);
        bend.push_back(-cosine / sine * first - (l * (l + 1) - k * k / (sine * sine)) * here);
        ring.push_back(-k * k * here);
      }
    }
  }
  for (std::size_t j = 0; j < longitudes; ++j) {
    for (int l = 0; l <= l_max; ++l) {
      for (int m = -l; m <= l; ++m) {
        wave.push_back(around(m, phi_of(j)));
        turned.push_back(m == 0 ? 0.0 : -m * around(-m, phi_of(j)));
      }
    }
  }
}

double SphereGrid::bytes(int l_max, int latitudes) {
  const double rows = latitudes, points = 2 * rows * rows;
  return sizeof(double) * ((4 * rows + 2 * 2 * rows) * static_cast<double>(mode_count(l_max)) + 3 * points);
}

std::vector<SphereDerivatives> SphereGrid::evaluate(const std::vector<double>& a) const {
  std::vector<SphereDerivatives> result(size());
  for (std::size_t point = 0; point < size(); ++point) {
    SphereDerivatives& sum = result[point];
    const Harmonics all = at(point);
    for (std::size_t n = 0; n < std::min(modes, a.size()); ++n) {
      const SphereDerivatives y = all[n];
      sum.value += a[n] * y.value;
      sum.t += a[n] * y.t;
      sum.p += a[n] * y.p;
      sum.tt += a[n] * y.tt;
      sum.tp += a[n] * y.tp;
      sum.pp += a[n] * y.pp;
    }
  }
  return result;
}

std::vector<double> SphereGrid::project(const std::vector<double>& f) const {
  std::vector<double> result(modes, 0.0);
  for (std::size_t point = 0; point < size(); ++point) {
    const Harmonics all = at(point);
    for (std::size_t n = 0; n < modes; ++n) result[n] += weight[point] * f[point] * all.y(n);
  }
  return result;
}

std::vector<LegendreNode> gauss_legendre(int count) {
  std::vector<LegendreNode> nodes;
  for (int i = 0; i < count; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 0;
    for (int round = 0; round < 10; ++round) {
      double p = 1, before = 0;
      for (int n = 1; n <= count; ++n) {
        const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
        before = p;
        p = next;
      }
      slope = count * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    nodes.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

}  // namespace meander::ccz4
