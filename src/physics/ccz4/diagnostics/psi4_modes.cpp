// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/psi4_modes.hpp"

#include <algorithm>
#include <cstdint>

#include "base/assert.hpp"
#include "base/exact_sum.hpp"
#include "physics/ccz4/diagnostics/harmonics.hpp"
#include "physics/ccz4/weyl.hpp"
#include "simulation/diagnostics/point_gather.hpp"
#include "simulation/diagnostics/totals.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

constexpr int latitudes = 24;  // exact up to l = 47 - l_max of Psi4 itself

const PointQuery weyl_query(weyl_unknowns, weyl_slopes);

std::complex<double> psi4_at(std::span<const double> sample, const SamplePoint& from_centre) {
  double q[unknowns] = {}, gradient[3 * unknowns] = {};
  for (std::size_t n = 0; n < weyl_unknowns.size(); ++n) {
    q[weyl_unknowns[n]] = sample[n];
    for (std::size_t a = 0; n < weyl_slopes && a < 3; ++a)
      gradient[a * unknowns + static_cast<std::size_t>(weyl_unknowns[n])] =
          sample[weyl_unknowns.size() + 3 * n + a];
  }
  Symmetric<double> metric;
  std::copy_n(q + at::g, 6, metric.of);
  return psi4(weyl(q, gradient), metric, from_centre.data());
}

// The harmonics at the points, mode by mode for each point.
std::vector<std::complex<double>> harmonics_at(const std::vector<SpherePoint>& sphere, int l_max) {
  std::vector<std::complex<double>> values;
  values.reserve(sphere.size() * wave_mode_count(l_max));
  for (const SpherePoint& point : sphere) {
    for (int l = 2; l <= l_max; ++l) {
      for (int m = -l; m <= l; ++m)
        values.push_back(std::conj(spin_weighted_harmonic(l, m, point.theta, point.phi)));
    }
  }
  return values;
}

}  // namespace

std::vector<Psi4Modes> psi4_modes(const StateView& view, const std::array<double, 3>& centre,
                                  std::span<const double> radii, int l_max) {
  MEANDER_ASSERT(l_max >= 2 && l_max <= psi4_most_l);
  constexpr std::size_t all = wave_mode_count(psi4_most_l);
  static const std::vector<SpherePoint> sphere = sphere_points(latitudes);
  static const std::vector<std::complex<double>> harmonics = harmonics_at(sphere, psi4_most_l);
  std::vector<SamplePoint> points, from_centre;
  for (const double radius : radii) {
    for (const SpherePoint& point : sphere) {
      SamplePoint& offset = from_centre.emplace_back();
      SamplePoint& x = points.emplace_back(centre);
      for (std::size_t a = 0; a < 3; ++a) {
        offset[a] = radius * point.direction[a];
        x[a] += offset[a];
      }
    }
  }
  const HeldSamples samples = PointGather(view).gather_own(points, weyl_query);
  const std::vector<HeldPoint>& held = samples.points;
  std::vector<std::complex<double>> psi4(held.size());
  view.team.for_chunks(held.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) psi4[n] = psi4_at(samples.of(n), from_centre[held[n].point]);
  });
  // Leaves that share a point on their faces share its weight.
  std::vector<std::int64_t> holders(points.size(), 0);
  for (const HeldPoint& one : held) ++holders[one.point];
  view.communicator.sum(std::span<std::int64_t>(holders));
  const std::size_t count = wave_mode_count(l_max);
  std::vector<ExactSum> sums(radii.size() * 2 * count);
  for (std::size_t n = 0; n < held.size(); ++n) {
    const std::size_t at = held[n].point % sphere.size();
    ExactSum* of_sphere = sums.data() + held[n].point / sphere.size() * 2 * count;
    const double weight = sphere[at].weight / static_cast<double>(holders[held[n].point]);
    for (std::size_t mode = 0; mode < count; ++mode) {
      const auto part = weight * psi4[n] * harmonics[at * all + mode];
      of_sphere[2 * mode].add(part.real());
      of_sphere[2 * mode + 1].add(part.imag());
    }
  }
  sum_over_ranks(view.communicator, sums);
  std::vector<Psi4Modes> modes(radii.size(), Psi4Modes(count));
  for (std::size_t n = 0; n < radii.size() * count; ++n)
    modes[n / count][n % count] = {sums[2 * n].value(), sums[2 * n + 1].value()};
  return modes;
}

}  // namespace meander::ccz4
