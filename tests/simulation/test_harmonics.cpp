// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Spherical harmonics of spin weight -2.
#include <gtest/gtest.h>

#include "physics/ccz4/diagnostics/psi4.hpp"
#include "tests/reference/harmonic_by_sum.hpp"

namespace meander::ccz4 {
namespace {

using Complex = std::complex<double>;

TEST(Harmonics, AreTheirSums) {
  double worst = 0;
  for (const double theta : {0.0, 1e-3, 0.4, 1.2, std::numbers::pi / 2, 2.3, 3.1, std::numbers::pi}) {
    for (int l = 2; l <= 10; ++l) {
      for (int m = -l; m <= l; ++m) {
        worst = std::max(worst, std::abs(spin_weighted_harmonic(l, m, theta, 0.7) -
                                         reference::harmonic_by_sum(l, m, theta, 0.7)));
      }
    }
  }
  std::printf("harmonics up to l = 10: %.1e from their sums\n", worst);
  EXPECT_LT(worst, 1e-12);  // the sum cancels, not the recursion
}

TEST(Harmonics, AreOrthonormalOnTheirPoints) {
  const std::vector<SpherePoint> sphere = sphere_points(24);
  EXPECT_EQ(sphere.size(), 24u * 48u);
  double worst = 0;
  const auto value = [&](int l, int m) {
    std::vector<Complex> values;
    for (const SpherePoint& point : sphere)
      values.push_back(spin_weighted_harmonic(l, m, point.theta, point.phi));
    return values;
  };
  std::vector<std::vector<Complex>> all;
  for (int l = 2; l <= psi4_most_l; ++l) {
    for (int m = -l; m <= l; ++m) {
      EXPECT_EQ(all.size(), wave_mode_index(l, m));
      all.push_back(value(l, m));
    }
  }
  EXPECT_EQ(all.size(), wave_mode_count(psi4_most_l));
  all.push_back(value(22, 21));  // of which products up to l = 22 are exact, too
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      Complex product = 0;
      for (std::size_t n = 0; n < sphere.size(); ++n)
        product += sphere[n].weight * all[a][n] * std::conj(all[b][n]);
      worst = std::max(worst, std::abs(product - (a == b ? 1.0 : 0.0)));
    }
  }
  std::printf("harmonics up to l = 8: %.1e from orthonormal\n", worst);
  EXPECT_LT(worst, 1e-12);
}

}  // namespace
}  // namespace meander::ccz4
