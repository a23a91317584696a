// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/psi4_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/exact_sum.hpp"
#include "physics/ccz4/weyl.hpp"
#include "simulation/config/config.hpp"
#include "simulation/diagnostics/point_samples.hpp"
#include "simulation/diagnostics/totals.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

using std::numbers::pi;

constexpr int latitudes = 24, longitudes = 48;  // number of points: exact up to l = 22 with the harmonics

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

std::complex<double> psi4_at(const StateView& view, const HeldPoint& held, const SamplePoint& from_centre) {
  constexpr std::size_t slopes = weyl_slopes, all = weyl_unknowns.size();
  const solvers::PatchTask& patch = view.patches[held.leaf];
  const std::span<const int> list(weyl_unknowns);
  std::array<PointValue, slopes> with_derivatives;
  std::array<double, all - slopes> values;
  gather(held.stencil, patch, view.layout, list.first(slopes), with_derivatives);
  gather(held.stencil, patch, view.layout, list.subspan(slopes), values);
  double q[unknowns] = {}, gradient[3 * unknowns] = {};
  for (std::size_t n = 0; n < all; ++n) {
    q[list[n]] = n < slopes ? with_derivatives[n].value : values[n - slopes];
    for (std::size_t a = 0; n < slopes && a < 3; ++a)
      gradient[a * unknowns + static_cast<std::size_t>(list[n])] = with_derivatives[n].derivative[a];
  }
  Symmetric<double> metric;
  std::copy_n(q + at::g, 6, metric.of);
  return psi4(weyl(q, gradient), metric, from_centre.data());
}

using Modes = std::array<std::complex<double>, psi4_mode_count>;

// The modes on all spheres together, so that halos are filled once. Collective.
std::vector<Modes> modes_of_spheres(const StateView& view, const SamplePoint& centre,
                                    std::span<const double> radii) {
  static const std::vector<SpherePoint> sphere = sphere_points();
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
  const std::vector<HeldPoint> held = hold_points(view, points);
  std::vector<std::complex<double>> psi4(held.size());
  view.team.for_chunks(held.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) psi4[n] = psi4_at(view, held[n], from_centre[held[n].point]);
  });
  // Leaves that share a point on their faces share its weight.
  std::vector<std::int64_t> holders(points.size(), 0);
  for (const HeldPoint& one : held) ++holders[one.point];
  view.communicator.sum(std::span<std::int64_t>(holders));
  std::vector<std::array<ExactSum, 2 * psi4_mode_count>> sums(radii.size());
  for (std::size_t n = 0; n < held.size(); ++n) {
    const SpherePoint& point = sphere[held[n].point % sphere.size()];
    auto& of_sphere = sums[held[n].point / sphere.size()];
    const double weight = point.weight / static_cast<double>(holders[held[n].point]);
    for (std::size_t m = 0; m < psi4_mode_count; ++m) {
      const auto part = weight * psi4[n] *
                        std::conj(spin_weighted_harmonic(static_cast<int>(m) - 2, point.theta, point.phi));
      of_sphere[2 * m].add(part.real());
      of_sphere[2 * m + 1].add(part.imag());
    }
  }
  std::vector<Modes> modes(radii.size());
  for (std::size_t s = 0; s < radii.size(); ++s) {
    sum_over_ranks(view.communicator, sums[s]);
    for (std::size_t m = 0; m < psi4_mode_count; ++m)
      modes[s][m] = {sums[s][2 * m].value(), sums[s][2 * m + 1].value()};
  }
  return modes;
}

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
  return modes_of_spheres(view, centre, std::span(&radius, 1)).front();
}

namespace {

class Psi4Modes final : public Diagnostic {
 public:
  const char* name() const override { return "psi4 modes"; }
  void describe(io::KeyTable& keys) override {
    keys.numbers("extraction-radii", radii_, "length",
                 "Radii of spheres about the domain's centre on which gravitational waves are extracted: the "
                 "modes of Psi4 with l = 2 in history.csv.",
                 io::greater_than(0));
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    centre_ = config.middle();
    double room = INFINITY;
    for (std::size_t a = 0; a < config.domain.lower.size(); ++a)
      room = std::min(room, 0.5 * (config.domain.upper[a] - config.domain.lower[a]));
    for (auto radius = radii_.begin(); radius != radii_.end(); ++radius) {
      if (*radius > room) {
        keys.reject("extraction-radii",
                    fmt::format("a sphere of radius {} about the domain's centre reaches beyond the domain, "
                                "whose nearest face is {} away",
                                *radius, room));
      }
      if (std::find(radii_.begin(), radius, *radius) != radius)
        keys.reject("extraction-radii", fmt::format("names {} twice", *radius));
    }
  }

  std::unique_ptr<Diagnostic> start() const override { return std::make_unique<Psi4Modes>(*this); }

  std::vector<Measure> measure(const StateView& view) const override {
    std::vector<Measure> measures;
    if (radii_.empty()) return measures;
    const std::vector<Modes> modes = modes_of_spheres(view, centre_, radii_);
    for (std::size_t s = 0; s < radii_.size(); ++s) {
      for (std::size_t n = 0; n < psi4_mode_count; ++n) {
        const std::string name = fmt::format("psi4_r{}_2_{}", radii_[s], static_cast<int>(n) - 2);
        measures.push_back({name + "_re", "1 / length^2", modes[s][n].real()});
        measures.push_back({name + "_im", "1 / length^2", modes[s][n].imag()});
      }
    }
    return measures;
  }

 private:
  std::vector<double> radii_;
  Point<3> centre_{};
};

constexpr const char* intro = R"(
`psi4_r40_2_-1_im` is the imaginary part of the mode l = 2, m = -1 (spin weight -2) of Psi4, gravitational radiation, at radius 40. Psi4 is
(E_ij - i B_ij) m*^i m*^j from the Weyl tensor, m = (e_theta + i e_phi) / sqrt(2): far out -d^2/dt^2 (h_plus - i h_cross). e_phi, e_r and e_theta
are those of spheres about the domain's centre, orthonormalised in this order. The fields `psi4_re` and `psi4_im` are Psi4 itself.
)";

}  // namespace

DiagnosticEntry psi4_modes_entry() {
  return {[] { return std::make_unique<Psi4Modes>(); }, intro};
}

}  // namespace meander::ccz4
