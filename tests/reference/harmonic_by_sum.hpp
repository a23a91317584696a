// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Spherical harmonics of spin weight -2 by the sums that define them.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace meander::reference {

// Ajith et al. (2007), arXiv:0709.0093, eqs. II.7 and II.8, summed as they stand.
inline std::complex<double> harmonic_by_sum(int l, int m, double theta, double phi) {
  const int s = 2;
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  double sum = 0;
  for (int k = std::max(0, m - s); k <= std::min(l + m, l - s); ++k) {
    sum += (k % 2 == 0 ? 1 : -1) *
           std::sqrt(factorial(l + m) * factorial(l - m) * factorial(l + s) * factorial(l - s)) /
           (factorial(l + m - k) * factorial(l - s - k) * factorial(k) * factorial(k + s - m)) *
           std::pow(std::cos(theta / 2), 2 * l + m - s - 2 * k) *
           std::pow(std::sin(theta / 2), 2 * k + s - m);
  }
  return std::sqrt((2 * l + 1) / (4 * std::numbers::pi)) * sum * std::polar(1.0, m * phi);
}

}  // namespace meander::reference
