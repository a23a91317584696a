// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/psi4_modes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/exact_sum.hpp"
#include "simulation/point_samples.hpp"
#include "simulation/totals.hpp"
#include "solvers/ccz4/weyl.hpp"

namespace meander::simulation {
namespace {

namespace ccz4 = solvers::ccz4;
using std::numbers::pi;

constexpr int latitudes = 24, longitudes = 48;  // of the points: exact up to l = 22 with the harmonics

struct SpherePoint {
  double theta = 0, phi = 0, weight = 0;  // weights sum up to 4 pi
  std::array<double, 3> direction{};
};

// Roots and weights of the Legendre polynomial by Newton's method.
std::vector<SpherePoint> sphere_points() {
  std::vector<SpherePoint> points;
  for (int i = 0; i < latitudes; ++i) {
    double x = std::cos(pi * (i + 0.75) / (latitudes + 0.5)), slope = 0;
    for (int round = 0; round < 10; ++round) {
      double p = 1, before = 0;
      for (int n = 1; n <= latitudes; ++n) {
        const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
        before = p;
        p = next;
      }
      slope = latitudes * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    for (int j = 0; j < longitudes; ++j) {
      SpherePoint& point = points.emplace_back();
      point.theta = std::acos(x);
      point.phi = 2 * pi * (j + 0.5) / longitudes;
      point.weight = 2 / ((1 - x * x) * slope * slope) * 2 * pi / longitudes;
      const double sine = std::sin(point.theta);
      point.direction = {sine * std::cos(point.phi), sine * std::sin(point.phi), x};
    }
  }
  return points;
}

// One patch's Weyl tensor, volume by volume where it is asked for.
class PatchWeyl {
 public:
  static constexpr std::size_t components = 12;  // E_ij, B_ij

  PatchWeyl(const solvers::PatchTask& patch, const solvers::PatchLayout& layout)
      : patch_(patch), layout_(layout), volumes_(static_cast<std::size_t>(layout.volumes())) {
    values_.resize(components * volumes_);
    known_.assign(volumes_, 0);
  }

  std::complex<double> psi4(const std::array<double, 3>& x, const double* from_centre) {
    const PointStencil stencil = stencil_at(patch_, layout_, x);
    const int n = stencil.nodes;
    for (int v = 0; v < n * n * n; ++v)
      need(stencil.first[0] + v % n, stencil.first[1] + v / n % n, stencil.first[2] + v / n / n);
    const std::ptrdiff_t p = layout_.p;
    ccz4::Weyl<double> w;
    ccz4::Symmetric<double> metric;
    for (std::size_t c = 0; c < 6; ++c) {
      w.electric.of[c] = interpolate(stencil, values_.data() + c * volumes_, {1, p, p * p});
      w.magnetic.of[c] = interpolate(stencil, values_.data() + (6 + c) * volumes_, {1, p, p * p});
      metric.of[c] = interpolate(stencil, patch_.q + layout_.at(ccz4::at::g + static_cast<int>(c), 0, 0, 0),
                                 {layout_.stride(0), layout_.stride(1), layout_.stride(2)});
    }
    return ccz4::psi4(w, metric, from_centre);
  }

 private:
  void need(int i, int j, int k) {
    const auto v = static_cast<std::size_t>((k * layout_.p + j) * layout_.p + i);
    if (known_[v] != 0) return;
    known_[v] = 1;
    const ccz4::Weyl<double> w = ccz4::weyl_of_volume(patch_, layout_, i, j, k);
    for (std::size_t c = 0; c < 6; ++c) {
      values_[c * volumes_ + v] = w.electric.of[c];
      values_[(6 + c) * volumes_ + v] = w.magnetic.of[c];
    }
  }

  const solvers::PatchTask& patch_;
  const solvers::PatchLayout& layout_;
  std::size_t volumes_;
  std::vector<double> values_;
  std::vector<char> known_;
};

struct Sample {
  std::size_t point = 0;
  std::complex<double> psi4;
};

}  // namespace

std::complex<double> spin_weighted_harmonic(int m, double theta, double phi) {
  const double cosine = std::cos(theta), sine = std::sin(theta), side = m < 0 ? 1 - cosine : 1 + cosine;
  const double size = std::abs(m) == 2   ? std::sqrt(5 / (64 * pi)) * side * side
                      : std::abs(m) == 1 ? std::sqrt(5 / (16 * pi)) * sine * side
                                         : std::sqrt(15 / (32 * pi)) * sine * sine;
  return std::polar(size, m * phi);
}

std::array<std::complex<double>, psi4_mode_count> psi4_modes(const StateView& view,
                                                             const std::array<double, 3>& centre,
                                                             double radius) {
  static const std::vector<SpherePoint> points = sphere_points();
  std::vector<std::vector<Sample>> samples(view.patches.size());
  view.team.for_chunks(view.patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      PatchWeyl patch(view.patches[leaf], view.layout);
      for (std::size_t n = 0; n < points.size(); ++n) {
        std::array<double, 3> x, from_centre;
        for (std::size_t a = 0; a < 3; ++a) {
          from_centre[a] = radius * points[n].direction[a];
          x[a] = centre[a] + from_centre[a];
        }
        if (holds(view.patches[leaf], view.layout, x))
          samples[leaf].push_back({n, patch.psi4(x, from_centre.data())});
      }
    }
  });
  // Leaves that share a point on their faces share its weight.
  std::vector<std::int64_t> holders(points.size(), 0);
  for (const auto& of_leaf : samples) {
    for (const Sample& sample : of_leaf) ++holders[sample.point];
  }
  view.communicator.sum(std::span<std::int64_t>(holders));
  std::array<ExactSum, 2 * psi4_mode_count> sums;
  for (const auto& of_leaf : samples) {
    for (const Sample& sample : of_leaf) {
      const SpherePoint& point = points[sample.point];
      const double weight = point.weight / static_cast<double>(holders[sample.point]);
      for (std::size_t n = 0; n < psi4_mode_count; ++n) {
        const auto part = weight * sample.psi4 *
                          std::conj(spin_weighted_harmonic(static_cast<int>(n) - 2, point.theta, point.phi));
        sums[2 * n].add(part.real());
        sums[2 * n + 1].add(part.imag());
      }
    }
  }
  sum_over_ranks(view.communicator, sums);
  std::array<std::complex<double>, psi4_mode_count> modes;
  for (std::size_t n = 0; n < psi4_mode_count; ++n) modes[n] = {sums[2 * n].value(), sums[2 * n + 1].value()};
  return modes;
}

std::vector<Measure> psi4_measures(const StateView& view, const std::array<double, 3>& centre,
                                   const std::vector<double>& radii) {
  std::vector<Measure> measures;
  for (const double radius : radii) {
    const auto modes = psi4_modes(view, centre, radius);
    for (std::size_t n = 0; n < psi4_mode_count; ++n) {
      const std::string name = fmt::format("psi4_r{}_2_{}", radius, static_cast<int>(n) - 2);
      measures.push_back({name + "_re", "1 / length^2", modes[n].real()});
      measures.push_back({name + "_im", "1 / length^2", modes[n].imag()});
    }
  }
  return measures;
}

}  // namespace meander::simulation
