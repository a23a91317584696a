// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/adm_charges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/ccz4/exact/from_metric.hpp"
#include "physics/ccz4/horizons/surface.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

using std::numbers::pi;

constexpr std::size_t numbers = 7;  // mass, momentum, angular momentum

// Of one point, as integrals over directions.
void charges_at(std::span<const double> sample, const SamplePoint& x, double* values) {
  HorizonFields f;
  Symmetric<double> metric;
  std::ranges::copy(sample, f.of);
  std::copy_n(f.of, 6, metric.of);
  const Symmetric<double> raise = exact::inverse(metric);
  const double r = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), phi = f.phi();
  double area[3];  // dS_j over the solid angle
  for (std::size_t j = 0; j < 3; ++j) area[j] = r * x[j];
  double mass = 0, flow[3] = {};  // flow: phi^-3 A~_k^j dS_j
  for (int j = 0; j < 3; ++j) {
    double vector = 0;
    for (int k = 0; k < 3; ++k) {
      // 8 d_k psi = -4 phi^(-3/2) P_k
      vector += 4 * std::pow(phi, -1.5) * raise(j, k) * f.P(k);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) vector += 2 * raise(j, a) * raise(k, b) * f.D(k, a, b);
      }
      for (int l = 0; l < 3; ++l) flow[k] += std::pow(phi, -3) * raise(j, l) * f.At(l, k) * area[j];
    }
    mass += vector * area[j];
  }
  values[0] = mass / (16 * pi);
  for (int i = 0; i < 3; ++i) {
    const int m = (i + 1) % 3, k = (i + 2) % 3;
    values[1 + i] = (flow[i] - 2.0 / 3.0 * std::pow(phi, -3) * f.K() * area[i]) / (8 * pi);
    values[4 + i] =
        (x[static_cast<std::size_t>(m)] * flow[k] - x[static_cast<std::size_t>(k)] * flow[m]) / (8 * pi);
  }
}

}  // namespace

std::vector<AdmCharges> adm_charges(const StateView& view, const std::array<double, 3>& centre,
                                    std::span<const double> radii) {
  const auto integrand = [](std::span<const double> sample, const SamplePoint& from_centre, std::size_t,
                            double* values) { charges_at(sample, from_centre, values); };
  const std::vector<double> integrals =
      sphere_integrals(view, centre, radii, PointQuery(horizon_unknowns), numbers, integrand);
  std::vector<AdmCharges> charges(radii.size());
  for (std::size_t s = 0; s < radii.size(); ++s) {
    const double* const of_sphere = integrals.data() + s * numbers;
    charges[s].mass = of_sphere[0];
    std::copy_n(of_sphere + 1, 3, charges[s].momentum.begin());
    std::copy_n(of_sphere + 4, 3, charges[s].spin.begin());
  }
  return charges;
}

double at_infinity(std::span<const double> radii, std::span<const double> values) {
  constexpr std::size_t most = 3;
  std::vector<std::size_t> order(radii.size());
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return radii[a] > radii[b]; });
  order.resize(std::min(order.size(), most));
  // Lagrange's polynomial in 1 / r, at 0.
  double sum = 0;
  for (const std::size_t n : order) {
    double weight = 1;
    for (const std::size_t m : order) {
      if (m != n) weight *= radii[n] / (radii[n] - radii[m]);
    }
    sum += weight * values[n];
  }
  return sum;
}

namespace {

class AdmColumns final : public Diagnostic {
 public:
  const char* name() const override { return "ADM integrals"; }
  void describe(io::KeyTable& keys) override {
    keys.numbers(
        "adm-radii", radii_, "length",
        "Radii of spheres about the domain's centre on which mass, momentum and angular momentum are "
        "integrated. At least the width of the finest volumes.",
        io::greater_than(0));
  }
  void set_up(const io::KeyTable& keys, const Config& config) override {
    centre_ = config.middle();
    check_radii(keys, "adm-radii", radii_, config);
  }
  std::unique_ptr<Diagnostic> start() const override { return std::make_unique<AdmColumns>(*this); }

  std::vector<Measure> measure(const StateView& view) const override {
    std::vector<Measure> measures;
    if (radii_.empty()) return measures;
    const std::vector<AdmCharges> charges = adm_charges(view, centre_, radii_);
    std::vector<double> masses;
    for (std::size_t s = 0; s < radii_.size(); ++s) {
      masses.push_back(charges[s].mass);
      measures.push_back({fmt::format("adm_mass_r{}", radii_[s]), "length", charges[s].mass});
      for (std::size_t a = 0; a < 3; ++a)
        measures.push_back(
            {fmt::format("adm_p{}_r{}", axis_names[a], radii_[s]), "length", charges[s].momentum[a]});
      for (std::size_t a = 0; a < 3; ++a)
        measures.push_back(
            {fmt::format("adm_j{}_r{}", axis_names[a], radii_[s]), "length^2", charges[s].spin[a]});
    }
    if (radii_.size() > 1) measures.push_back({"adm_mass", "length", at_infinity(radii_, masses)});
    return measures;
  }

 private:
  std::vector<double> radii_;
  Point<3> centre_{};
};

constexpr const char* intro_of_columns = R"(
With `adm-radii` (equation = "ccz4"): the ADM mass `adm_mass_r40`, momentum `adm_px_r40` and angular momentum `adm_jx_r40` about the domain's centre, of
the sphere of radius 40. Masses at a finite radius differ by terms in 1 / r from that at infinity; with several spheres, `adm_mass` is extrapolated
to it from the outermost three (two: linearly in 1 / r).
)";

}  // namespace

DiagnosticEntry adm_charges_entry() {
  return {[] { return std::make_unique<AdmColumns>(); }, intro_of_columns};
}

}  // namespace meander::ccz4
