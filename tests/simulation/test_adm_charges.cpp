// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// ADM mass, momentum and angular momentum of known data, on a mesh.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "physics/ccz4/diagnostics/adm_charges.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
using namespace ccz4;
namespace {

constexpr double tolerance = 5e-4;  // of the total mass, and of its square

std::string box(int p, double edge, const std::string& scenario) {
  return fmt::format(
      "[domain]\nlower = [{0}, {0}, {0}]\nupper = [{1}, {1}, {1}]\ncells = [3, 3, 3]\n[boundary]\nall = "
      "\"outflow\"\n[mesh]\npatch-size = {2}\n[solver]\nequation = \"ccz4\"\nscheme = \"fourth-order\"\n"
      "[scenario]\n{3}",
      -edge, edge, p, scenario);
}

TEST(AdmCharges, AreThoseOfHolesAtRest) {
  const auto simulation = make_simulation(
      physics_input(
          box(10, 12,
              "name = \"binary\"\npoints = 12\nmass-1 = 0.4\nmass-2 = 0.7\nposition-1 = [0, 0, 1.1]\n"
              "position-2 = [0, 0.3, -1]\nmomentum-1 = [0, 0, 0]\nmomentum-2 = [0, 0, 0]\n")),
      2);
  const double radii[] = {7, 10};
  for (const AdmCharges& charges : adm_charges(simulation->view(), {0, 0, 0}, radii)) {
    std::printf("mass %.6f\n", charges.mass);
    EXPECT_NEAR(charges.mass, 1.1, tolerance);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(charges.momentum[a], 0, 1e-12);
      EXPECT_NEAR(charges.spin[a], 0, 1e-12);
    }
  }
}

// The momenta and angular momenta of Bowen and York are exact on every sphere around the holes.
TEST(AdmCharges, AreThoseOfBowenAndYork) {
  const Config config =
      physics_input(box(14, 24,
                        "name = \"binary\"\npoints = 30\nposition-1 = [2, 0.5, 0]\nposition-2 = [-2, 0, 1]\n"
                        "momentum-1 = [0.1, 0.2, 0.05]\nmomentum-2 = [0, -0.15, 0.1]\nspin-1 = [0.05, 0, "
                        "0.1]\nspin-2 = [0, 0.08, 0]\n"));
  const auto simulation = make_simulation(config, 2);
  const std::vector<double> radii = {10, 14, 20};
  std::vector<double> masses;
  const double spin[] = {0.05 + 0.5 * 0.05 + 0.15, 0.08 - 2 * 0.05 + 2 * 0.1,
                         0.1 + 2 * 0.2 - 0.5 * 0.1 + 2 * 0.15};
  const double momentum[] = {0.1, 0.05, 0.15};
  for (const AdmCharges& charges : adm_charges(simulation->view(), {0, 0, 0}, radii)) {
    masses.push_back(charges.mass);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(charges.momentum[a], momentum[a], tolerance) << a;
      EXPECT_NEAR(charges.spin[a], spin[a], tolerance) << a;
    }
  }
  const double mass = measured(*simulation, "initial_adm_mass");
  std::printf("masses %.6f %.6f %.6f, at infinity %.6f, of the data %.6f\n", masses[0], masses[1], masses[2],
              at_infinity(radii, masses), mass);
  EXPECT_NEAR(at_infinity(radii, masses), mass, tolerance);
}

// In coordinates of Kerr and Schild the mass on a sphere differs by terms in 1 / r, the angular momentum does not.
TEST(AdmCharges, AreThoseOfKerr) {
  const int p = 16;
  const auto simulation = make_simulation(physics_input(box(p, 120, "name = \"minkowski\"\n")), 2);
  const StateView view = simulation->view();
  const exact::KerrSchild hole{1.0, 0.9, 0.0};
  for (const auto& patch : view.patches) {
    for (int k = -3; k < p + 3; ++k) {
      for (int j = -3; j < p + 3; ++j) {
        for (int i = -3; i < p + 3; ++i) {
          const double x[4] = {0, patch.lower[0] + (i + 0.5) * patch.dx,
                               patch.lower[1] + (j + 0.5) * patch.dx, patch.lower[2] + (k + 0.5) * patch.dx};
          double q[unknowns];
          exact::from_metric(hole, x, Slicing::one_plus_log, exact::Gauge::free, q);
          for (int u = 0; u < unknowns; ++u) patch.q[view.layout.at(u, i, j, k)] = q[u];
        }
      }
    }
  }
  const std::vector<double> radii = {60, 80, 105};
  std::vector<double> masses;
  for (const AdmCharges& charges : adm_charges(view, {0, 0, 0}, radii)) {
    masses.push_back(charges.mass);
    EXPECT_NEAR(charges.spin[2], 0.9, tolerance);
    for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(charges.spin[a], 0, tolerance);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(charges.momentum[a], 0, tolerance);
  }
  std::printf("masses %.6f %.6f %.6f, at infinity %.6f\n", masses[0], masses[1], masses[2],
              at_infinity(radii, masses));
  EXPECT_GT(std::abs(masses[0] - 1), tolerance) << "shows nothing";
  EXPECT_NEAR(at_infinity(radii, masses), 1, tolerance);
}

TEST(AdmCharges, PolynomialsReachInfinity) {
  const double radii[] = {10, 40, 20, 80};
  double values[4];
  for (int n = 0; n < 4; ++n) values[n] = 1 + 2 / radii[n] - 7 / (radii[n] * radii[n]);
  EXPECT_NEAR(at_infinity(radii, values), 1, 1e-14);
}

}  // namespace
}  // namespace meander::simulation
