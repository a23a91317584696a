// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Psi4: the Weyl tensor of known spacetimes, and the modes of a plane wave through a sphere.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <random>

#include "physics/ccz4/diagnostics/psi4.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/solver.hpp"
#include "physics/ccz4/weyl.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/reference/harmonic_by_sum.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::simulation {
using namespace ccz4;
namespace {

using Complex = std::complex<double>;

struct ExactWeyl {
  ccz4::Weyl<double> weyl;
  ccz4::Symmetric<double> metric;  // g~
  double phi = 0;
};

template <class Metric>
ExactWeyl exact_weyl(const Metric& metric, const double (&x)[4]) {
  exact::Jet<double> at[4], q[ccz4::unknowns];
  for (int a = 0; a < 4; ++a) at[a] = exact::Jet<double>::coordinate(x[a], a);
  exact::from_metric(metric, at, ccz4::Slicing::harmonic, exact::Gauge::free, q);
  double value[ccz4::unknowns], gradient[3 * ccz4::unknowns];
  for (int n = 0; n < ccz4::unknowns; ++n) {
    value[n] = q[n].value;
    for (int a = 0; a < 3; ++a) gradient[a * ccz4::unknowns + n] = q[n].d[1 + a];
  }
  ExactWeyl result{ccz4::weyl(value, gradient), {}, value[ccz4::at::phi]};
  for (std::size_t n = 0; n < 6; ++n) result.metric.of[n] = value[ccz4::at::g + static_cast<int>(n)];
  return result;
}

// (E - i B)_ij (E - i B)^ij = 6 M^2 / (r - i a cos(theta))^6 for any slice of a black hole's spacetime,
// moving or not; the sign of i is that of the orientation.
TEST(Weyl, HasTheInvariantOfABlackHole) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(2, 5);
  for (const double velocity : {0.0, 0.4}) {
    const exact::KerrSchild hole{1.3, 0.8, velocity};
    for (int n = 0; n < 100; ++n) {
      const double x[4] = {0, uniform(random), -uniform(random), uniform(random)};
      ExactWeyl here = exact_weyl(hole, x);
      const ccz4::Symmetric<double> inverse = exact::inverse(here.metric);
      Complex all[3][3], trace = 0, square = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          all[i][j] = {here.weyl.electric(i, j), -here.weyl.magnetic(i, j)};
          trace += inverse(i, j) * all[i][j];
        }
      }
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) all[i][j] -= trace / 3.0 * here.metric(i, j);
      }
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) square += inverse(i, k) * inverse(j, l) * all[i][j] * all[k][l];
          }
        }
      }
      const double a = hole.spin * hole.mass, lorentz = 1 / std::sqrt(1 - velocity * velocity);
      const double X = lorentz * x[1], rho = X * X + x[2] * x[2] + x[3] * x[3] - a * a;
      const double r = std::sqrt(0.5 * (rho + std::sqrt(rho * rho + 4 * a * a * x[3] * x[3])));
      const Complex kerr = 6 * hole.mass * hole.mass / std::pow(Complex(r, -a * x[3] / r), 6);
      EXPECT_LT(std::min(std::abs(square - kerr), std::abs(square - std::conj(kerr))),
                1e-10 * std::abs(kerr));
    }
  }
}

TEST(Weyl, AHoleAtRestRadiatesNothing) {
  const exact::KerrSchild hole{1.0, 0.0, 0.0};
  for (const auto& x : {std::array{3.0, 1.0, 2.0}, std::array{-1.0, 2.5, 0.3}, std::array{0.2, 0.1, -4.0}}) {
    const ExactWeyl here = exact_weyl(hole, {0, x[0], x[1], x[2]});
    EXPECT_LT(std::abs(ccz4::psi4(here.weyl, here.metric, x.data())), 1e-14);
  }
}

TEST(Weyl, ReadsOnlyTheUnknownsOfItsList) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  double q[ccz4::unknowns], gradient[3 * ccz4::unknowns];
  for (double& value : q) value = uniform(random);
  for (double& value : gradient) value = uniform(random);
  for (const int diagonal : {0, 3, 5}) q[ccz4::at::g + diagonal] += 1;
  q[ccz4::at::phi] += 1;
  const ccz4::Weyl<double> all = ccz4::weyl(q, gradient);
  for (int n = 0; n < ccz4::unknowns; ++n) {
    const auto& list = ccz4::weyl_unknowns;
    const auto place = static_cast<std::size_t>(std::find(list.begin(), list.end(), n) - list.begin());
    if (place == list.size()) q[n] = NAN;
    for (int a = 0; a < 3 && place >= ccz4::weyl_slopes; ++a) gradient[a * ccz4::unknowns + n] = NAN;
  }
  const ccz4::Weyl<double> read = ccz4::weyl(q, gradient);
  EXPECT_TRUE(std::ranges::equal(read.electric.of, all.electric.of));
  EXPECT_TRUE(std::ranges::equal(read.magnetic.of, all.magnetic.of));
}

// Along +x the wave of amplitude A sin(k (x - t)) in h_yy, and on the other side it comes in.
TEST(Weyl, APlaneWaveIsTheSecondDerivativeOfItsStrain) {
  const double A = 1e-7, k = 2 * std::numbers::pi;
  const exact::LinearWave wave{A, 1.0};
  for (const double along : {0.1, 0.35, 0.8}) {
    // At +x: theta points to -z and phi to y, so h_plus = h_zz = -h_yy.
    const double out[3] = {along, 1e-14, 0}, in[3] = {along - 1, 1e-14, 0};
    const double second = -k * k * A * std::sin(k * (along - 0.05));  // of h_yy, in time
    const ExactWeyl ahead = exact_weyl(wave, {0.05, out[0], out[1], out[2]}),
                    behind = exact_weyl(wave, {0.05, in[0], in[1], in[2]});
    EXPECT_NEAR(ccz4::psi4(ahead.weyl, ahead.metric, out).real(), second, 1e-5 * k * k * A);
    EXPECT_NEAR(ccz4::psi4(ahead.weyl, ahead.metric, out).imag(), 0, 1e-5 * k * k * A);
    EXPECT_LT(std::abs(ccz4::psi4(behind.weyl, behind.metric, in)), 1e-5 * k * k * A);
  }
}

constexpr int wave_l = 4;

Psi4Modes modes_of_wave(const exact::LinearWave& wave, double radius) {
  constexpr int n = 200;
  Psi4Modes modes(wave_mode_count(wave_l));
  for (int i = 0; i < n; ++i) {
    const double theta = std::numbers::pi * (i + 0.5) / n;
    for (int j = 0; j < n; ++j) {
      const double phi = 2 * std::numbers::pi * (j + 0.5) / n;
      const double x[3] = {radius * std::sin(theta) * std::cos(phi), radius * std::sin(theta) * std::sin(phi),
                           radius * std::cos(theta)};
      const ExactWeyl here = exact_weyl(wave, {0, x[0], x[1], x[2]});
      const Complex psi4 = ccz4::psi4(here.weyl, here.metric, x);
      const double area = std::sin(theta) * 2 * std::pow(std::numbers::pi / n, 2);
      for (int l = 2; l <= wave_l; ++l) {
        for (int m = -l; m <= l; ++m)
          modes[wave_mode_index(l, m)] +=
              area * psi4 * std::conj(reference::harmonic_by_sum(l, m, theta, phi));
      }
    }
  }
  return modes;
}

// Over several spheres, since the errors of a single sphere depend on the positions of its points in the
// mesh.
TEST(Psi4ModesLong, OfAPlaneWaveConvergeAtFifthOrder) {
  const exact::LinearWave wave{1e-8, 2.0};
  const std::vector<double> radii = {0.5, 0.6, 0.7, 0.8};
  std::vector<Psi4Modes> exact_modes;
  for (const double radius : radii) exact_modes.push_back(modes_of_wave(wave, radius));
  double before = 0;
  for (const int p : {5, 20}) {
    const Config config = physics_input(fmt::format(
        "[domain]\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\ncells = [2, 2, 2]\n[mesh]\npatch-size = {}\n"
        "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\n[scenario]\nname = \"linear-wave\"\n"
        "amplitude = 1e-8\nwidth = 2.0\n",
        p));
    const auto simulation = make_simulation(config, available_processors());
    double square = 0, size = 0;
    const std::vector<Psi4Modes> modes = psi4_modes(simulation->view(), {0, 0, 0}, radii, wave_l);
    for (std::size_t n = 0; n < radii.size(); ++n) {
      for (std::size_t m = 0; m < wave_mode_count(wave_l); ++m) {
        square += std::norm(modes[n][m] - exact_modes[n][m]);
        size = std::max(size, std::abs(exact_modes[n][m]));
      }
    }
    const double error = std::sqrt(square / static_cast<double>(radii.size()));
    std::printf("%d volumes across: modes up to %.3e, error %.2e\n", 2 * p, size, error);
    if (before > 0) {
      EXPECT_GT(reference::order_of(before, error, 4), 4.7);
    }
    before = error;
    EXPECT_LT(error, 1e-3 * size);
  }
}

// The plot fields of a patch.
std::vector<Complex> psi4_of(const solvers::Solver& solver, const solvers::PatchTask& patch,
                             const solvers::PatchLayout& layout) {
  std::vector<double> parts[2];
  for (const solvers::PatchQuantity& quantity : solver.patch_quantities()) {
    if (quantity.name.substr(0, 5) != "psi4_") continue;
    std::vector<double>& part = parts[quantity.name == "psi4_re" ? 0 : 1];
    part.resize(static_cast<std::size_t>(layout.volumes()));
    quantity.values(solver.parameters(), patch, layout, part);
  }
  std::vector<Complex> psi4;
  for (std::size_t v = 0; v < parts[0].size(); ++v) psi4.emplace_back(parts[0][v], parts[1].at(v));
  return psi4;
}

std::array<double, 3> centre_of(const solvers::PatchTask& patch, int p, std::size_t volume) {
  const int v = static_cast<int>(volume), at[3] = {v % p, v / p % p, v / p / p};
  std::array<double, 3> x;
  for (std::size_t a = 0; a < 3; ++a) x[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
  return x;
}

// For the wave h_yy = -h_zz = b(x - t): E - i B = -1/2 d^2b/dt^2 (e_y + i e_z) (e_y + i e_z).
Complex psi4_of_wave(double second_derivative, double theta, double phi) {
  const Complex i(0, 1);
  const Complex y = std::cos(theta) * std::sin(phi) - i * std::cos(phi), z = -std::sin(theta);
  return -0.25 * second_derivative * (y + i * z) * (y + i * z);
}

// About a middle that is not the origin; for odd p with volumes on the axis, where phi counts as 0.
TEST(Psi4Fields, OfAPlaneWaveConvergeAtFourthOrderToItsPsi4) {
  const double amplitude = 1e-8, k = std::numbers::pi;
  std::vector<double> errors;
  for (const int p : {9, 18}) {
    const Config config = physics_input(fmt::format(
        "[domain]\nlower = [0, -1, -1]\nupper = [2, 1, 1]\n[mesh]\npatch-size = {}\n"
        "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\n[scenario]\nname = \"linear-wave\"\n"
        "amplitude = {}\nwidth = 2.0\n[output]\nfields = [\"psi4_re\", \"psi4_im\"]\n",
        p, amplitude));
    const auto simulation = make_simulation(config, available_processors());
    const StateView view = simulation->view();
    double& error = errors.emplace_back(0);
    std::size_t on_axis = 0;
    for (const auto& patch : view.patches) {
      const std::vector<Complex> found = psi4_of(simulation->solver(), patch, view.layout);
      for (std::size_t v = 0; v < found.size(); ++v) {
        const auto x = centre_of(patch, p, v);
        const double X = x[0] - 1, across = std::hypot(X, x[1]);
        if (across == 0) ++on_axis;
        const Complex expected =
            psi4_of_wave(-k * k * amplitude * std::sin(k * x[0]),
                         std::atan2(across, x[2] == 0 && across == 0 ? 1.0 : x[2]), std::atan2(x[1], X));
        error = std::max(error, std::abs(found[v] - expected) / (k * k * amplitude));
      }
    }
    EXPECT_EQ(on_axis, p % 2 == 1 ? p : 0);
  }
  std::printf("psi4 of a plane wave: errors %.2e, %.2e of its amplitude\n", errors[0], errors[1]);
  EXPECT_GT(reference::order_of(errors[0], errors[1], 2), 3.7);
  EXPECT_LT(errors[0], 0.05);
}

TEST(Psi4Fields, OfAHoleWithSpinConvergeAtFourthOrder) {
  const exact::KerrSchild hole{1.0, 0.9, 0.0};
  const auto solver = ccz4::make_solver({});
  std::vector<double> errors;
  double size = 0;
  for (const int p : {6, 18}) {  // every third volume of these is at a place of those
    const solvers::PatchLayout layout(3, p, 3, ccz4::unknowns);
    solvers::test::Patch patch(layout);
    solvers::PatchTask task = patch.task(1.0 / p);
    const double lower[3] = {1.5, -2.5, 0.5};
    std::copy_n(lower, 3, task.lower);
    solvers::test::for_volumes(layout, 3, [&](int i, int j, int k) {
      exact::Jet<double> at[4], q[ccz4::unknowns];
      const int index[3] = {i, j, k};
      for (int a = 0; a < 3; ++a)
        at[1 + a] = exact::Jet<double>::coordinate(lower[a] + (index[a] + 0.5) * task.dx, 1 + a);
      at[0] = exact::Jet<double>::coordinate(0, 0);
      exact::from_metric(hole, at, ccz4::Slicing::harmonic, exact::Gauge::free, q);
      for (int n = 0; n < ccz4::unknowns; ++n) patch.at(n, i, j, k) = q[n].value;
    });
    const std::vector<Complex> found = psi4_of(*solver, task, layout);
    double& error = errors.emplace_back(0);
    for (std::size_t v = 0; v < found.size(); ++v) {
      const auto n = static_cast<int>(v);
      if (p == 18 && (n % p % 3 != 1 || n / p % p % 3 != 1 || n / p / p % 3 != 1)) continue;
      const auto x = centre_of(task, p, v);
      const ExactWeyl here = exact_weyl(hole, {0, x[0], x[1], x[2]});
      const Complex expected = ccz4::psi4(here.weyl, here.metric, x.data());
      error = std::max(error, std::abs(found[v] - expected));
      size = std::max(size, std::abs(expected));
    }
  }
  std::printf("psi4 of a hole: up to %.2e, errors %.2e, %.2e\n", size, errors[0], errors[1]);
  EXPECT_GT(reference::order_of(errors[0], errors[1], 3), 3.7);
  EXPECT_LT(errors[0], 0.05 * size);
}

TEST(Psi4Modes, OutsideTheDomainAreRefused) {
  const auto refused = [](const std::string& setting) {
    try {
      shipped_input("puncture", {setting});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("diagnostics.extraction-radii=[4.0, 243.0]"), "accepted");
  EXPECT_NE(refused("diagnostics.extraction-radii=[4.0, 243.5]").find("reaches beyond the domain"),
            std::string::npos);
  EXPECT_NE(refused("diagnostics.extraction-radii=[0]").find("must be greater than 0"), std::string::npos);
  EXPECT_NE(refused("diagnostics.extraction-radii=[4.0, 4]").find("names 4 twice"), std::string::npos);
}

TEST(Psi4Files, OfInvalidKeysAreRefusedWithTheirPosition) {
  const auto refused = [](const std::string& keys) {
    try {
      physics_input(
          "[domain]\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\n[solver]\nequation = \"ccz4\"\n[scenario]\n"
          "name = \"minkowski\"\n[diagnostics]\n" +
          keys);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("extraction-radii = [0.5]\npsi4-every = 0.5\npsi4-l-max = 2\n"), "accepted");
  EXPECT_EQ(refused("psi4-every = 0.0\npsi4-l-max = 8\n"), "accepted");  // as in a resolved input
  EXPECT_TRUE(
      refused("psi4-every = 0.5\n")
          .starts_with("test.toml:9:14: diagnostics.psi4-every: requires diagnostics.extraction-radii"))
      << refused("psi4-every = 0.5\n");
  EXPECT_TRUE(refused("extraction-radii = [0.5]\npsi4-l-max = 4\n")
                  .starts_with("test.toml:10:14: diagnostics.psi4-l-max: has no meaning without"));
  EXPECT_NE(refused("extraction-radii = [0.5]\npsi4-every = 1\npsi4-l-max = 9\n").find("between 2 and 8"),
            std::string::npos);
  EXPECT_NE(refused("extraction-radii = [0.5]\npsi4-every = 1e-300\n").find("must be at least"),
            std::string::npos);
  EXPECT_NE(refused("psi4-evry = 1\n").find("psi4-every"), std::string::npos);
  // Spheres within a volume, also with radii too long for the name of a file.
  for (const char* radii : {"[0.2]", "[0.5, 1e-200]", "[1e-300]"}) {
    const std::string found = refused(fmt::format("extraction-radii = {}\n", radii));
    EXPECT_TRUE(found.starts_with("test.toml:9:")) << found;
    EXPECT_NE(
        found.find("extraction-radii: must be at least 0.2222222222222222, the width of the finest volumes, "
                   "but one is "),
        std::string::npos)
        << found;
  }
  EXPECT_EQ(refused("extraction-radii = [0.2]\n[mesh]\nmax-level = 1\n"), "accepted");
}

TEST(Psi4Files, HaveNamesOfSomeLengthOnly) {
  const std::string far =
      "[domain]\nlower = [-1e102, -1e102, -1e102]\nupper = [1e102, 1e102, 1e102]\n[solver]\nequation = "
      "\"ccz4\"\n"
      "[scenario]\nname = \"minkowski\"\n[diagnostics]\nextraction-radii = [5e101]\n";
  EXPECT_NO_THROW(physics_input(far));
  try {
    physics_input(far + "psi4-every = 0.5\n");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const std::string found = error.what();
    EXPECT_NE(
        found.find(
            "extraction-radii: 5e+101 would take 105 digits in the names of files, but 100 are possible"),
        std::string::npos)
        << found;
  }
}

}  // namespace
}  // namespace meander::simulation
