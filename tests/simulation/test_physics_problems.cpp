// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Shipped problems by formulas, on coarser meshes and often shortened, against figures from the literature.
// scripts/verify --only NAME measures the same at the shipped size.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Velocity along an axis, and pressure without dual energy, in 2D.
double velocity(const Volume& v, int axis) {
  return v.q[axis + 1] / v.q[0];
}
double pressure(const Volume& v, double gamma) {
  return (gamma - 1) * (v.q[3] - 0.5 * (v.q[1] * v.q[1] + v.q[2] * v.q[2]) / v.q[0]);
}

// A least-squares slope.
struct Line {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(double at, double value) {
    n += 1;
    x += at;
    y += value;
    xx += at * at;
    xy += at * value;
  }
  double slope() const { return (n * xy - x * y) / (n * xx - x * x); }
};

// The most unstable mode of the linear equations grows at 0.8949 (Chebyshev collocation, in scripts/verify).
TEST(KelvinHelmholtz, GrowsAsTheEigenvalue) {
  const auto simulation =
      make_simulation(shipped_input("kelvin-helmholtz", {"mesh.max-level=3"}), available_processors());
  advance_to(*simulation, 2);
  Line line;
  while (simulation->time() < 5.5) {
    double energy = 0;
    for_volumes(*simulation, [&](const Volume& v) { energy += v.q[2] * v.q[2] / v.q[0] * v.dx * v.dx; });
    line.add(simulation->time(), 0.5 * std::log(energy));
    advance_to(*simulation, std::min(simulation->time() + 0.05, 5.5));
  }
  std::printf("growth rate %.4f, linear theory 0.8949\n", line.slope());
  EXPECT_NEAR(line.slope(), 0.8949, 0.03 * 0.8949);
}

// Woodward & Colella (1984), figure 2h: a peak of 6.4 at x = 0.78.
TEST(DoubleBlast, HasItsPeaks) {
  const auto simulation = run(shipped_input("double-blast", {"mesh.max-level=5"}));
  Volume peak;
  for_volumes(*simulation, [&](const Volume& v) {
    if (v.q[0] > peak.q[0]) peak = v;
  });
  std::printf("density %.3f at x = %.4f\n", peak.q[0], peak.x[0]);
  EXPECT_NEAR(peak.q[0], 6.4, 0.03 * 6.4);
  EXPECT_NEAR(peak.x[0], 0.78, 0.015);
}

// Noh (1987): density 16 within a shock at r = t / 3.
TEST(Noh, LeavesGasOfDensity16) {
  const auto simulation = run(shipped_input("noh-2d", {"mesh.max-level=3", "time.end=1"}));
  double mass = 0, area = 0, inside = 1, outside = 0;
  for_volumes(*simulation, [&](const Volume& v) {
    const double r = std::hypot(v.x[0], v.x[1]);
    if (r > 0.1 && r < 0.3) {
      mass += v.q[0] * v.dx * v.dx;
      area += v.dx * v.dx;
    }
    if (v.q[0] < 8) inside = std::min(inside, r);
    if (v.q[0] > 8) outside = std::max(outside, r);
  });
  std::printf("density %.3f, shock between r = %.4f and %.4f\n", mass / area, inside, outside);
  EXPECT_NEAR(mass / area, 16, 0.02 * 16);
  EXPECT_NEAR(inside, 1.0 / 3, 0.01 / 3);
  EXPECT_NEAR(outside, 1.0 / 3, 0.02 / 3);
}

// The vortex is stationary: what it loses in one turn is the error of the scheme.
TEST(Gresho, KeepsItsPeak) {
  const auto simulation =
      make_simulation(shipped_input("gresho", {"mesh.max-level=2"}), available_processors());
  double kinetic[2], peak[2];
  for (int turn = 0; turn < 2; ++turn) {
    advance_to(*simulation, 0.4 * pi * turn);
    kinetic[turn] = peak[turn] = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      kinetic[turn] += 0.5 * (v.q[1] * v.q[1] + v.q[2] * v.q[2]) / v.q[0] * v.dx * v.dx;
      peak[turn] = std::max(peak[turn], std::hypot(velocity(v, 0), velocity(v, 1)));
    });
  }
  std::printf("kinetic energy %.4f, peak %.4f of the initial ones; error_l1 %.2e\n", kinetic[1] / kinetic[0],
              peak[1] / peak[0], measured(*simulation, "error_l1"));
  EXPECT_NEAR(
      kinetic[0],
      pi * (0.04 * 0.04 * 25 / 4 + 4 * (0.08 - 0.02) - 20 * (0.064 - 0.008) / 3 + 25 * (0.0256 - 0.0016) / 4),
      1e-3);
  EXPECT_GT(kinetic[1], 0.98 * kinetic[0]);
  EXPECT_LE(kinetic[1], kinetic[0]);
  EXPECT_GT(peak[1], 0.9 * peak[0]);
}

// On the axis the shock meets the bubble as a plane one; the circulation follows the model of Yang, Kubota & Zukoski
// (1994), 4 R / V_s (p2 - p1) / rho2 (1 - light) / (1 + light).
TEST(ShockBubble, HasTheVelocitiesAndTheCirculationOfTheory) {
  const Config config = shipped_input("shock-bubble", {"mesh.max-level=4"});
  const auto simulation = make_simulation(config, available_processors());
  const double gamma = 1.4, mach = 1.22, light = 0.182;
  const reference::Gas1d behind{(gamma + 1) * mach * mach / ((gamma - 1) * mach * mach + 2),
                                2 / (gamma + 1) * (mach - 1 / mach),
                                (1 + 2 * gamma / (gamma + 1) * (mach * mach - 1)) / gamma};
  const reference::ExactRiemann plane(behind, {light, 0, 1 / gamma}, gamma);
  const double shock =
      std::sqrt(((gamma + 1) / (2 * gamma) * (gamma * plane.star_pressure() - 1) + 1) / light);
  // Both fronts on the axis, from the row of volumes next to it.
  const auto fronts = [&] {
    double interface = 10, front = -10;
    for_volumes(*simulation, [&](const Volume& v) {
      if (v.x[1] > v.dx) return;
      if (v.q[0] < 0.6) interface = std::min(interface, v.x[0]);
      if (pressure(v, gamma) > 0.5 * (plane.star_pressure() + 1 / gamma)) front = std::max(front, v.x[0]);
    });
    return std::array{interface, front};
  };
  Line interface, front;
  advance_to(*simulation, 0.22);
  while (simulation->time() < 0.42) {
    const auto at = fronts();
    interface.add(simulation->time(), at[0]);
    front.add(simulation->time(), at[1]);
    simulation->advance(0.42);
  }
  std::printf("interface %.4f, exact %.4f; shock in the bubble %.4f, exact %.4f\n", interface.slope(),
              plane.star_velocity(), front.slope(), shock);
  EXPECT_NEAR(interface.slope(), plane.star_velocity(), 0.1 * plane.star_velocity());
  EXPECT_NEAR(front.slope(), shock, 0.05 * shock);
  advance_to(*simulation, 2);
  double circulation = 0;
  for_volumes(*simulation, [&](const Volume& v) {
    if (v.x[1] < v.dx) circulation += velocity(v, 0) * v.dx;
    if (v.x[1] > 1.78 - v.dx) circulation -= velocity(v, 0) * v.dx;
    if (v.x[0] < -1.78 + v.dx) circulation -= velocity(v, 1) * v.dx;
    if (v.x[0] > 7.12 - v.dx) circulation += velocity(v, 1) * v.dx;
  });
  const double model = 4 / mach * (behind.pressure - 1 / gamma) / behind.density * (1 - light) / (1 + light);
  std::printf("circulation %.4f, model %.4f\n", circulation, model);
  EXPECT_NEAR(circulation, model, 0.05 * model);
}

// The foot of the Mach stem on the wall, and the triple point, relative to the wall's edge.
struct MachReflection {
  double foot = 0, x = 0, y = 0;
};

MachReflection reflection(Simulation& simulation) {
  const double edge = 1.0 / 6, t = simulation.time();
  std::map<double, double> stem;  // foremost shocked volume of each row of the finest volumes, by y
  double h = 1;
  for (const auto& patch : simulation.view().patches) h = std::min(h, patch.dx);
  for_volumes(simulation, [&](const Volume& v) {
    if (v.q[0] > 4 && v.dx < 1.5 * h) stem[v.x[1]] = std::max(stem[v.x[1]], v.x[0] - edge);
  });
  // Where the stem, ahead of the incident shock, would meet it.
  Line line;
  for (const auto& [y, x] : stem) {
    const double lead = x - (y + 20 * t) / std::sqrt(3);
    if (lead > 3 * h && lead < 0.05 * t / 0.1) line.add(y, lead);
  }
  MachReflection found;
  found.foot = stem.begin()->second;
  found.y = (line.x - line.y / line.slope()) / line.n;
  found.x = (found.y + 20 * t) / std::sqrt(3);
  return found;
}

// Lengths grow as t. By the theory of three shocks that meet in a point, whose path has the angle of 10 degrees to the wall
// that is found here, the pressure at this point is 195.8, and the density behind the reflected shock 11.55 (scripts/verify solves
// their equations).
TEST(DoubleMach, IsSelfSimilarAndObeysTheTheoryOfThreeShocks) {
  const auto simulation =
      make_simulation(shipped_input("double-mach", {"mesh.max-level=4"}), available_processors());
  advance_to(*simulation, 0.05);
  const MachReflection half = reflection(*simulation);
  advance_to(*simulation, 0.1);
  const MachReflection whole = reflection(*simulation);
  const double angle = std::atan2(whole.y, whole.x) * 180 / pi;
  std::printf(
      "foot of the stem at %.3f t, triple point at %.3f t, %.3f t; at half the time %.3f, %.3f, %.3f; angle "
      "%.2f\n",
      whole.foot / 0.1, whole.x / 0.1, whole.y / 0.1, half.foot / 0.05, half.x / 0.05, half.y / 0.05, angle);
  EXPECT_NEAR(whole.foot, 2 * half.foot, 0.02 * whole.foot);
  EXPECT_NEAR(whole.y, 2 * half.y, 0.06 * whole.y);
  EXPECT_NEAR(angle, 10, 0.5);
  // The gas between the reflected shock and the slip line, next to the triple point.
  std::vector<double> densities, pressures;
  for_volumes(*simulation, [&](const Volume& v) {
    const double back = whole.x - (v.x[0] - 1.0 / 6);
    if (back < 0.03 || back > 0.05 || v.q[0] < 11) return;
    densities.push_back(v.q[0]);
    pressures.push_back(pressure(v, 1.4));
  });
  ASSERT_GT(densities.size(), 5u);
  const auto median = [](std::vector<double>& values) {
    std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size() / 2));
    return values[values.size() / 2];
  };
  std::printf("density %.2f, theory 11.55; pressure %.1f, theory 195.8\n", median(densities),
              median(pressures));
  EXPECT_NEAR(median(densities), 11.55, 0.02 * 11.55);
  EXPECT_NEAR(median(pressures), 195.8, 0.03 * 195.8);
}

// The most unstable mode of the linear equations grows at 0.5871.
TEST(RayleighTaylor, GrowsAsTheEigenvalue) {
  const auto simulation =
      make_simulation(shipped_input("rayleigh-taylor", {"mesh.max-level=3"}), available_processors());
  advance_to(*simulation, 5);
  Line line;
  while (simulation->time() < 9) {
    double amplitude = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      amplitude += velocity(v, 1) * std::cos(4 * pi * v.x[0]) * v.dx * v.dx;
    });
    line.add(simulation->time(), std::log(amplitude));
    advance_to(*simulation, std::min(simulation->time() + 0.1, 9.0));
  }
  std::printf("growth rate %.4f, linear theory 0.5871\n", line.slope());
  EXPECT_NEAR(line.slope(), 0.5871, 0.05 * 0.5871);
}

// Bondi (1952): the mass that crosses each sphere in unit time is exp(3/2) / 4 of 4 pi.
TEST(Bondi, AccretesAtItsRateAtAllRadii) {
  const auto simulation = run(shipped_input("bondi", {"mesh.patch-size=6", "time.end=0.4"}));
  const double bounds[] = {0.2, 0.4, 0.8, 2, 4};
  double flux[4] = {}, volume[4] = {}, mach = 0;
  for_volumes(*simulation, [&](const Volume& v) {
    const double r = std::hypot(v.x[0], v.x[1], v.x[2]);
    const auto shell = std::ranges::upper_bound(bounds, r) - bounds - 1;
    if (shell < 0 || shell > 3) return;
    const double part = std::pow(v.dx, 3);
    const double inward = -(v.q[1] * v.x[0] + v.q[2] * v.x[1] + v.q[3] * v.x[2]) / r;
    flux[shell] += part * inward * r * r;
    volume[shell] += part;
    if (r < 0.3) mach = std::max(mach, inward / v.q[0]);
  });
  for (int k = 0; k < 4; ++k) {
    const double rate = flux[k] / volume[k] / (std::exp(1.5) / 4);
    std::printf("r = %g to %g: accretion rate %.4f of Bondi's\n", bounds[k], bounds[k + 1], rate);
    EXPECT_NEAR(rate, 1, 0.03);
  }
  EXPECT_GT(mach, 1.4);
}

// The mean of the spurious speeds is of second order. Without a balance it does not grow with time, and the largest, at the
// walls, is of first; with it, they are smaller by far.
TEST(Hydrostatic, StaysAtRestToSecondOrder) {
  double mean[2][2][2] = {}, largest[2][2] = {};
  for (const bool balanced : {false, true}) {
    for (int k = 0; k < 2; ++k) {
      const auto simulation = make_simulation(
          shipped_input("hydrostatic",
                        {"mesh.min-level=1", "mesh.max-level=2", "mesh.buffer=0",
                         k == 0 ? "mesh.patch-size=9" : "mesh.patch-size=18",
                         balanced ? "gravity.well-balanced=true" : "gravity.well-balanced=false"}),
          available_processors());
      for (int later = 0; later < 2; ++later) {
        advance_to(*simulation, later == 0 ? 3 : 6);
        largest[balanced][k] = 0;
        for_volumes(*simulation, [&](const Volume& v) {
          const double speed = std::hypot(velocity(v, 0), velocity(v, 1));
          mean[balanced][k][later] += speed * v.dx * v.dx;
          largest[balanced][k] = std::max(largest[balanced][k], speed);
        });
      }
      std::printf("%s: mean speed %.2e, later %.2e; largest %.2e\n", balanced ? "balanced" : "plain",
                  mean[balanced][k][0], mean[balanced][k][1], largest[balanced][k]);
    }
    std::printf("orders %.2f, %.2f\n", std::log2(mean[balanced][0][1] / mean[balanced][1][1]),
                std::log2(largest[balanced][0] / largest[balanced][1]));
    EXPECT_GT(std::log2(mean[balanced][0][1] / mean[balanced][1][1]), balanced ? 1.6 : 1.8);
  }
  EXPECT_GT(std::log2(largest[0][0] / largest[0][1]), 0.9);
  EXPECT_LT(mean[0][0][1], 2e-3);
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT(mean[0][k][1], 1.2 * mean[0][k][0]);
    EXPECT_LT(mean[1][k][1], mean[0][k][1] / 5);
    EXPECT_LT(largest[1][k], largest[0][k] / 5);
  }
}

}  // namespace
}  // namespace meander::simulation
