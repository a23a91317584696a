// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/psi4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/assert.hpp"
#include "physics/ccz4/weyl.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

using std::numbers::pi;

// -2Y_lm(theta, 0) for the least l of this m.
double first_harmonic(int m, double theta) {
  const int l = std::abs(m);
  if (l <= 2) {
    const double cosine = std::cos(theta), sine = std::sin(theta), side = m < 0 ? 1 - cosine : 1 + cosine;
    return l == 2   ? std::sqrt(5 / (64 * pi)) * side * side
           : l == 1 ? std::sqrt(5 / (16 * pi)) * sine * side
                    : std::sqrt(15 / (32 * pi)) * sine * sine;
  }
  // sqrt((2l + 1) / 4 pi) sqrt(binomial(2l, l + 2)) cos^(l + 2) sin^(l - 2) of theta / 2, for m = l with the
  // sign (-1)^l; for m = -l sine and cosine change places.
  double square = (2 * l + 1) / (4 * pi);
  for (int n = 1; n <= l - 2; ++n) square *= static_cast<double>(l + 2 + n) / n;
  const double more = m > 0 ? std::cos(theta / 2) : std::sin(theta / 2),
               less = m > 0 ? std::sin(theta / 2) : std::cos(theta / 2);
  const double size = std::sqrt(square) * std::pow(more, l + 2) * std::pow(less, l - 2);
  return m > 0 && l % 2 == 1 ? -size : size;
}

}  // namespace

std::complex<double> spin_weighted_harmonic(int l, int m, double theta, double phi) {
  const int s = 2;
  double value = first_harmonic(m, theta), before = 0;
  const double cosine = std::cos(theta);
  // The recursion holds for value / sqrt(2j + 1).
  const auto root = [&](int j) { return std::sqrt(static_cast<double>((j * j - m * m) * (j * j - s * s))); };
  for (int j = std::max(std::abs(m), s); j < l; ++j) {
    const double here = value / std::sqrt(2.0 * j + 1), lower = before / std::sqrt(2.0 * j - 1);
    const double next =
        ((2 * j + 1) * (j * (j + 1) * cosine - m * s) * here - (j + 1) * root(j) * lower) / (j * root(j + 1));
    before = value;
    value = next * std::sqrt(2.0 * j + 3);
  }
  return {value * std::cos(m * phi), value * std::sin(m * phi)};
}

namespace {

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
  static const std::vector<std::complex<double>> harmonics = harmonics_at(points_of_spheres(), psi4_most_l);
  const std::size_t count = wave_mode_count(l_max);
  const auto integrand = [count](std::span<const double> sample, const SamplePoint& from_centre,
                                 std::size_t point, double* values) {
    const std::complex<double> psi4 = psi4_at(sample, from_centre);
    for (std::size_t mode = 0; mode < count; ++mode) {
      const std::complex<double> part = psi4 * harmonics[point * all + mode];
      values[2 * mode] = part.real();
      values[2 * mode + 1] = part.imag();
    }
  };
  const std::vector<double> sums = sphere_integrals(view, centre, radii, weyl_query, 2 * count, integrand);
  std::vector<Psi4Modes> modes(radii.size(), Psi4Modes(count));
  for (std::size_t n = 0; n < radii.size() * count; ++n)
    modes[n / count][n % count] = {sums[2 * n], sums[2 * n + 1]};
  return modes;
}

namespace {

constexpr int most_samples = 100'000'000;
constexpr std::size_t most_digits = 100;  // of a radius in the names of files

// With two decimals, or as many as give back the same number: readers take no exponents.
std::string radius_text(double radius) {
  std::string text;
  for (int decimals = 2; decimals < 400; ++decimals) {
    text = fmt::format("{:.{}f}", radius, decimals);
    if (std::strtod(text.c_str(), nullptr) == radius) break;
  }
  return text;
}

class Psi4Output final : public Diagnostic {
 public:
  const char* name() const override { return "psi4 modes"; }
  void describe(io::KeyTable& keys) override {
    keys.numbers("extraction-radii", radii_, "length",
                 "Radii of spheres about the domain's centre on which gravitational waves are extracted: the "
                 "modes of Psi4 with l = 2 in history.csv. At least the width of the finest volumes.",
                 io::greater_than(0));
    keys.number(
        "psi4-every", every_, "time",
        "Writes the modes of Psi4 on these spheres into files of their own, after the first step at or "
        "after each multiple of this time since time.start; 0: never.",
        io::at_least(0));
    keys.integer("psi4-l-max", l_max_, "", "The largest l of these files.", io::between(2, psi4_most_l));
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    centre_ = config.middle();
    next_ = start_ = config.time.start;
    check_radii(keys, "extraction-radii", radii_, config);
    for (const double radius : radii_) {
      if (const std::size_t digits = radius_text(radius).size(); every_ > 0 && digits > most_digits) {
        keys.reject("extraction-radii",
                    fmt::format("{} would take {} digits in the names of files, but {} are possible", radius,
                                digits, most_digits));
      }
    }
    const double least = (config.time.end - config.time.start) / most_samples;
    if (every_ > 0 && !(every_ >= least)) {
      keys.reject("psi4-every", fmt::format("must be at least {}, for at most {} samples from time.start to "
                                            "time.end, not {}",
                                            least, most_samples, every_));
    }
    if (every_ > 0 && radii_.empty()) keys.reject("psi4-every", "requires diagnostics.extraction-radii");
    // Resolved inputs give every key, with its default.
    if (every_ == 0 && l_max_ != psi4_most_l)
      keys.reject("psi4-l-max", "has no meaning without diagnostics.psi4-every");
  }

  std::unique_ptr<Diagnostic> start() const override { return std::make_unique<Psi4Output>(*this); }

  std::vector<Measure> measure(const StateView& view) const override {
    std::vector<Measure> measures;
    if (radii_.empty()) return measures;
    const std::vector<Psi4Modes> modes = psi4_modes(view, centre_, radii_, 2);
    for (std::size_t s = 0; s < radii_.size(); ++s) {
      for (int m = -2; m <= 2; ++m) {
        const std::string name = fmt::format("psi4_r{}_2_{}", radii_[s], m);
        measures.push_back({name + "_re", "1 / length^2", modes[s][wave_mode_index(2, m)].real()});
        measures.push_back({name + "_im", "1 / length^2", modes[s][wave_mode_index(2, m)].imag()});
      }
    }
    return measures;
  }

  // Sphere by sphere, in each of them mode by mode.
  std::vector<io::RowFile> files() const override {
    std::vector<io::RowFile> files;
    for (std::size_t s = 0; every_ > 0 && s < radii_.size(); ++s) {
      for (int l = 2; l <= l_max_; ++l) {
        for (int m = -l; m <= l; ++m) {
          const std::string radius = radius_text(radii_[s]);
          files.push_back({fmt::format("waves/mp_psi4_l{}_m{}_r{}.asc", l, m, radius),
                           io::RowFile::Samples{fmt::format(
                               "Psi4 on the sphere of radius {} about the domain's centre: mode l = {}, "
                               "m = {} of spin weight -2\n"
                               "sign: Psi4 = +d^2/dt^2 (h_plus - i h_cross), opposite to history.csv\n"
                               "harmonics: Ajith et al. 2007, arXiv:0709.0093, eq. II.7\n"
                               "1: time  2: real part [1 / length^2]  3: imaginary part\n",
                               radius, l, m)}});
        }
      }
    }
    return files;
  }

  DiagnosticRows rows(const StateView& view) override {
    if (every_ == 0 || view.t < next_) return {};
    set_next(view.t);
    DiagnosticRows due;
    for (const Psi4Modes& of_sphere : psi4_modes(view, centre_, radii_, l_max_)) {
      for (const std::complex<double>& mode : of_sphere)
        due.rows.push_back({io::History::cell(-mode.real()), io::History::cell(-mode.imag())});
    }
    return due;
  }

  void resume(const io::CheckpointState& state) override {
    if (every_ > 0) set_next(state.time);
  }

 private:
  // The first multiple after `now`. It depends on the time only, so that a restart samples at the same steps.
  void set_next(double now) {
    double multiple = std::max(0.0, std::floor((now - start_) / every_) - 1);  // rounding may be one off
    while (start_ + multiple * every_ <= now) ++multiple;
    next_ = start_ + multiple * every_;
  }

  std::vector<double> radii_;
  double every_ = 0, start_ = 0, next_ = 0;
  int l_max_ = psi4_most_l;
  Point<3> centre_{};
};

constexpr const char* intro_of_waves = R"(
`psi4_r40_2_-1_im` is the imaginary part of the mode l = 2, m = -1 (spin weight -2) of Psi4, gravitational radiation, at radius 40. Psi4 is
(E_ij - i B_ij) m*^i m*^j from the Weyl tensor, m = (e_theta + i e_phi) / sqrt(2): far out -d^2/dt^2 (h_plus - i h_cross). e_phi, e_r and e_theta
are those of spheres about the domain's centre, orthonormalised in this order. The fields `psi4_re` and `psi4_im` are Psi4 itself.

With `psi4-every`, `waves/mp_psi4_l2_m-1_r40.00.asc` and its likes have the modes with l up to `psi4-l-max`, in the format of the Einstein Toolkit
that kuibit reads (`SimDir(directory).gws`), with the sign of most codes: there Psi4 = +d^2/dt^2 (h_plus - i h_cross). The phases of the harmonics are those of
Ajith et al. (2007), arXiv:0709.0093. [Waves](waves.md) has strain, energy and momenta from them.
)";

}  // namespace

DiagnosticEntry psi4_output_entry() {
  return {.make = [] { return std::make_unique<Psi4Output>(); },
          .intro = intro_of_waves,
          .files = {{io::RowFormat::samples, "waves", R"(mp_psi4_l[0-9]+_m-?[0-9]+_r[0-9.]+\.asc)"}}};
}

}  // namespace meander::ccz4
