// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Radiative boundaries: reflections, and no growth.

#include <fmt/format.h>

#include "physics/ccz4/unknowns.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

std::string flat_input(const std::string& boundary, double noise, double end, const std::string& gauge) {
  return fmt::format(
      "[domain]\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\ncells = [2, 2, 2]\n[boundary]\nall = \"{}\"\n"
      "[mesh]\npatch-size = 10\n[solver]\nequation = \"ccz4\"\ncfl = 1.5\ndissipation = 0.3\n{}\n"
      "[scenario]\nname = \"minkowski\"\nnoise = {}\n[time]\nend = {}\n",
      boundary, gauge, noise, end);
}

const std::string harmonic = "slicing = \"harmonic\"\ns = 0";

// A ripple of the lapse about the middle: it obeys the wave equation in flat space.
void add_ripple(Simulation& simulation, double height, double width) {
  const StateView view = simulation.view();
  const auto& layout = view.layout;
  for (const auto& patch : view.patches) {
    for (int k = -3; k < layout.p + 3; ++k) {
      for (int j = -3; j < layout.p + 3; ++j) {
        for (int i = -3; i < layout.p + 3; ++i) {
          const int at[3] = {i, j, k};
          double x[3], square = 0;
          for (int a = 0; a < 3; ++a) {
            x[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
            square += x[a] * x[a];
          }
          const double ripple = height * std::exp(-square / (width * width));
          patch.q[layout.at(ccz4::at::a, i, j, k)] += ripple;
          for (int a = 0; a < 3; ++a)
            patch.q[layout.at(ccz4::at::A + a, i, j, k)] -= 2 * x[a] / (width * width) * ripple;
        }
      }
    }
  }
}

// In the middle eighth of the domain.
double largest_ripple(Simulation& simulation) {
  double largest = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    if (std::max({std::abs(volume.x[0]), std::abs(volume.x[1]), std::abs(volume.x[2])}) < 0.5)
      largest = std::max(largest, std::abs(volume.q[ccz4::at::a] - 1));
  });
  return largest;
}

// The largest ripple in the middle after the wave has left it, until the reflections of the six faces have
// met there, relative to the initial amplitude.
double sent_back(const std::string& boundary) {
  const double height = 1e-6, end = 2.4;
  const auto simulation =
      make_simulation(physics_input(flat_input(boundary, 0, end, harmonic)), available_processors());
  add_ripple(*simulation, height, 0.35);
  double largest = 0;
  while (simulation->time() < end) {
    simulation->advance(end);
    if (simulation->time() > 1.6) largest = std::max(largest, largest_ripple(*simulation));
  }
  return largest / height;
}

TEST(SommerfeldRun, AWaveLeaves) {
  const double mirror = sent_back("reflecting"), open = sent_back("sommerfeld");
  std::printf(
      "of a ripple of the lapse comes back: %.4f from mirrors, %.4f from radiative boundaries: %.4f\n",
      mirror, open, open / mirror);
  EXPECT_GT(mirror, 0.1);
  EXPECT_LT(open, 0.05 * mirror);
}

TEST(SommerfeldRun, FlatSpaceStaysFlatToTheBit) {
  const auto simulation = run(physics_input(flat_input("sommerfeld", 0, 1, "")), 3);
  for_volumes(*simulation, [&](const Volume& volume) {
    double flat[ccz4::unknowns];
    simulation->config().scenario->boundary(volume.x, volume.dx, 0, flat);
    for (int n = 0; n < ccz4::unknowns; ++n) ASSERT_EQ(volume.q[n], flat[n]);
  });
}

// With both gauges noise drifts as in periodic domains, and nothing grows faster.
TEST(SommerfeldRun, NoiseGrowsNoFasterThanTime) {
  for (const std::string& gauge : {harmonic, std::string("f = 0.7")}) {
    const Config config = physics_input(flat_input("sommerfeld", 1e-10, 8, gauge), {"mesh.patch-size=6"});
    const auto simulation = make_simulation(config, available_processors());
    const auto largest_until = [&](double end) {
      while (simulation->time() < end) simulation->advance(end);
      double largest = 0;
      for_volumes(*simulation, [&](const Volume& volume) {
        double flat[ccz4::unknowns];
        config.scenario->boundary(volume.x, volume.dx, 0, flat);
        for (int n = 0; n < ccz4::unknowns; ++n) largest = std::max(largest, std::abs(volume.q[n] - flat[n]));
      });
      return largest;
    };
    const double half = largest_until(4), whole = largest_until(8);
    std::printf("%s: noise of 1e-10 is %.1e at t = 4 and %.1e at t = 8\n", gauge.c_str(), half, whole);
    EXPECT_LT(whole, 2.2 * half);
    EXPECT_LT(whole, 1e-7);
  }
}

TEST(SommerfeldRun, IsRefusedWhereTheSchemeCannotDoIt) {
  const auto refused = [](const std::vector<std::string>& settings) {
    try {
      physics_input(flat_input("sommerfeld", 0, 1, ""), settings);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(
      refused({"solver.scheme=rusanov", "solver.cfl=0.5"}).find("test.toml:6:7: boundary.all: 'sommerfeld'"),
      std::string::npos)
      << refused({"solver.scheme=rusanov", "solver.cfl=0.5"});
}

}  // namespace
}  // namespace meander::simulation
