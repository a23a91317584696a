// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Accretion in an expanding universe against theory: turnaround radius and its growth, and the shock of Bertschinger
// (1985).

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "physics/euler/diagnostics/mass_profile.hpp"
#include "physics/euler/scenarios/accretion.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
using namespace euler;
namespace {

struct Result {
  double turnaround_at_1 = 0, turnaround = 0, formula = 0, shock = 0, mass_change = 0;
  double least_at_faces = 0, largest_at_faces = 0;  // density of the volumes at the faces of the domain
  // The largest relative deviation from the adiabat, after regrids from a = 1 on, of the gas that has not met the shock.
  double heating = 0;
  double floored = 0;        // share of the volume updates
  std::vector<double> mass;  // excess within each of many radii, at the end
  std::optional<LocalStepsReport> local_steps;
};

std::vector<double> mass_profile(Simulation& simulation) {
  const StateView view = simulation.view();
  return MassProfiler({view.layout.dim, {}, 1.6 / 200, 200}, 12.0).excess(view);
}

std::pair<double, double> densities_at_faces(Simulation& simulation) {
  const DomainConfig& domain = simulation.config().domain;
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for_volumes(simulation, [&](const Volume& v) {
    bool at_face = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(domain.dimensions); ++d)
      at_face = at_face || std::min(v.x[d] - domain.lower[d], domain.upper[d] - v.x[d]) < v.dx;
    if (!at_face) return;
    least = std::min(least, v.q[0]);
    largest = std::max(largest, v.q[0]);
  });
  return {least, largest};
}

// Between the gas about the shock, which its numerical width heats, and the domain's faces, from which all gas is drawn
// away. The overdensity has long been shocked, so all of this gas began with density 1.
double heating_of_infall(Simulation& simulation, double shock) {
  const solvers::Solver& solver = simulation.solver();
  const auto entropy =
      std::find_if(solver.derived().begin(), solver.derived().end(),
                   [](const solvers::Derived& derived) { return derived.name == "entropy"; });
  constexpr double initial = 1e-7;  // scenario.pressure
  double worst = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    const double r = std::hypot(volume.x[0], volume.x[1], volume.x[2]);
    if (r < 2 * shock || r > 0.6) return;
    worst = std::max(worst, std::abs(entropy->value(solver.parameters(), volume.q) / initial - 1));
  });
  return worst;
}

// Runs to the end; the first turnaround radius is taken at the first of the input's plot times, tau = -1 (a =
// 1).
Result accrete(const Config& config) {
  const auto simulation = make_simulation(config, available_processors());
  const double mass = simulation->totals()[0];
  while (simulation->time() < -1) simulation->advance(-1);
  Result result;
  result.turnaround_at_1 = measured(*simulation, "turnaround_radius");
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    if (simulation->step() % config.mesh.regrid_every > 0 && simulation->time() < config.time.end) continue;
    const double shock = measured(*simulation, "shock_radius");
    result.heating = std::max(result.heating, heating_of_infall(*simulation, shock));
  }
  result.turnaround = measured(*simulation, "turnaround_radius");
  result.formula = measured(*simulation, "turnaround_formula");
  result.shock = measured(*simulation, "shock_radius");
  result.mass_change = simulation->totals()[0] / mass - 1;
  const auto [least, largest] = densities_at_faces(*simulation);
  result.least_at_faces = least;
  result.largest_at_faces = largest;
  result.floored = static_cast<double>(simulation->treated_volumes().floored) /
                   static_cast<double>(simulation->volume_updates());
  result.mass = mass_profile(*simulation);
  result.local_steps = simulation->local_steps();
  std::printf(
      "turnaround %.4f, formula %.4f: %+.1f %%; shock / turnaround %.3f; mass %+.1e; density at the faces "
      "%.3f to %.3f; %d steps; entropy of the infall off by %.2g, floored %.2g\n",
      result.turnaround, result.formula, 100 * (result.turnaround / result.formula - 1),
      result.shock / result.turnaround, result.mass_change, least, largest, simulation->step(),
      result.heating, result.floored);
  return result;
}

double growth(const Result& result, double end_scale_factor) {
  return std::log(result.turnaround / result.turnaround_at_1) / std::log(end_scale_factor);
}

// The shipped input: volumes of 0.0317 at level 3, 0.0106 at level 4.
TEST(AccretionRun, TurnsAroundWhereTheorySaysAndShocksCloserWithEachLevel) {
  const Result coarse = accrete(shipped_input("accretion-3d", {"mesh.max-level=3"}));
  const Result fine = accrete(shipped_input("accretion-3d"));
  EXPECT_NEAR(fine.turnaround / fine.formula, 1, 0.01);
  EXPECT_NEAR(growth(fine, 8), 1.0 / 3, 0.03);
  const double coarse_ratio = coarse.shock / coarse.turnaround, fine_ratio = fine.shock / fine.turnaround;
  EXPECT_LT(std::abs(fine_ratio - bertschinger_shock), 0.5 * std::abs(coarse_ratio - bertschinger_shock));
  EXPECT_NEAR(fine_ratio, bertschinger_shock, 0.04);
  EXPECT_NEAR(coarse.mass_change, 0, 1e-13);
  EXPECT_NEAR(fine.mass_change, 0, 1e-13);
  EXPECT_LT(fine.heating, 0.05);  // two radii of the coarse shock lie within its numerical width
}

// The seed is compensated close to its edge.
TEST(AccretionRun, HasNoTurnaroundFormulaOnceShellsComeFromTheCompensation) {
  const Config config =
      shipped_input("accretion-3d", {"mesh.max-level=2", "scenario.compensation-radius=0.13",
                                     "scenario.end-scale-factor=0.012", "output.plot-times=[]"});
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_NE(config.warnings[0].find("turnaround_formula is nan from a = 0.0113 on"), std::string::npos)
      << config.warnings[0];
  const auto simulation = make_simulation(config, available_processors());
  EXPECT_GT(measured(*simulation, "turnaround_formula"), 0);
  while (simulation->time() < config.time.end) simulation->advance(config.time.end);
  EXPECT_TRUE(std::isnan(measured(*simulation, "turnaround_formula")));
  for (const std::string& warning : shipped_input("accretion-3d").warnings)
    EXPECT_EQ(warning.find("turnaround_formula"), std::string::npos) << warning;
}

void expect_plane_theory(const Result& result) {
  EXPECT_NEAR(result.turnaround / result.formula, 1, 0.01);
  EXPECT_NEAR(growth(result, 4), 0.5, 0.04);
  EXPECT_NEAR(result.mass_change, 0, 1e-13);
  EXPECT_LT(result.heating, 0.05);
}

// Local steps interpolate the mass profile of coarse levels in time. Expansion limits both levels alike, and gravity
// to steps in proportion to sqrt(dx), so most ratios are 1 or 2.
TEST(AccretionRun, FollowsThePlaneTheoryIn2dWithGlobalAndLocalSteps) {
  const Result global = accrete(shipped_input("accretion-2d", {"mesh.max-level=4"})),
               local = accrete(shipped_input("accretion-2d", {"mesh.max-level=4", "time.stepping=local"}));
  expect_plane_theory(global);
  expect_plane_theory(local);
  const double most = *std::ranges::max_element(global.mass);
  double worst = 0;
  for (std::size_t i = 0; i < global.mass.size(); ++i)
    worst = std::max(worst, std::abs(local.mass[i] - global.mass[i]) / most);
  std::printf(
      "local steps: turnaround radius %+.2f %%, shock radius %+.2f %%, mass profile %.2f %%; gain %.2f\n",
      100 * (local.turnaround / global.turnaround - 1), 100 * (local.shock / global.shock - 1), 100 * worst,
      local.local_steps->gain());
  EXPECT_NEAR(local.turnaround / global.turnaround, 1, 0.001);
  EXPECT_LE(worst, 0.002);
  const auto& steps = local.local_steps->steps;
  const double ratio = static_cast<double>(steps[4]) / static_cast<double>(steps[3]);
  std::printf("mean ratio %.2f\n", ratio);
  EXPECT_GT(ratio, 1.1);
  EXPECT_LT(ratio, 2);
  EXPECT_GT(local.local_steps->gain(), 1.1);
  EXPECT_EQ(local.local_steps->large_ratios, 0);
}

// Poisson's equation knows nothing of the centre.
TEST(AccretionByPoisson, IsThatOfTheRadialGravity) {
  const std::vector<std::string> coarse = {"mesh.max-level=4"},
                                 by_poisson = {"mesh.max-level=4", "gravity.method=poisson"};
  const Result radial = accrete(shipped_input("accretion-2d", coarse)),
               poisson = accrete(shipped_input("accretion-2d", by_poisson));
  expect_plane_theory(poisson);
  EXPECT_NEAR(poisson.turnaround / radial.turnaround, 1, 0.005);
  EXPECT_NEAR(poisson.shock / radial.shock, 1, 0.005);
}

// The seed lies off the centre of domain and mesh, across jumps that do not follow it.
TEST(AccretionByPoisson, TakesPlaceWhereTheSeedIs) {
  const Config config = physics_input(
      "[domain]\ndimensions = 2\nlower = [-1.9, -1.5]\nupper = [1.4333333333333333, 1.8333333333333333]\n"
      "cells = [5, 5]\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\nmin-level = 3\nmax-level = 4\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.5\n"
      "[solver]\nscheme = \"muscl\"\nlimiter = \"mc\"\ngamma = 1.6666666666666667\ncfl = 0.4\n"
      "density-floor = 1e-6\npressure-floor = 1e-10\ndual-energy = true\n[gravity]\nmethod = \"poisson\"\n"
      "[scenario]\nname = \"accretion\"\ndelta = 0.2\nradius = 0.06\ncompensation-radius = 1.4\n"
      "centre = [0.0, 0.0]\nstart-scale-factor = 0.001\nend-scale-factor = 1.5\n");
  const Result result = accrete(config);
  EXPECT_NEAR(result.turnaround / result.formula, 1, 0.01);
  EXPECT_NEAR(growth(result, 1.5), 0.5, 0.04);
  EXPECT_NEAR(result.mass_change, 0, 1e-13);
}

// A plane wave in supercomoving variables until its caustic at a = 1 (Zel'dovich 1970): gas without pressure moves from q to
// x = q - a sin(2 pi q) / (2 pi).
TEST(Pancake, IsThatOfZeldovich) {
  struct Errors {
    double density, energy;  // of the sum that Layzer and Irvine say is constant, over the potential energy
  };
  const auto errors = [](int level) -> Errors {
    const auto simulation = run(shipped_input(
        "pancake", {fmt::format("mesh.min-level={}", level), fmt::format("mesh.max-level={}", level),
                    fmt::format("time.max-dt={}", 0.03 * std::pow(3, 2 - level)), "time.end=-1.5"}));
    const double potential = column(*simulation, "potential_energy");
    const double sum = simulation->totals()[3] + potential - column(*simulation, "expansion_energy") -
                       column(*simulation, "regrid_energy");  // at the start 1e-5 of the potential energy
    return {measured(*simulation, "error_l1"), std::abs(sum / potential)};
  };
  const Errors coarse = errors(2), fine = errors(3);
  const auto order = [](double a, double b) { return std::log(a / b) / std::log(3.0); };
  std::printf("errors at a = 0.44: %.2e, %.2e, order %.2f; of the energy %.1e, %.1e\n", coarse.density,
              fine.density, order(coarse.density, fine.density), coarse.energy, fine.energy);
  EXPECT_LE(fine.density, 2e-4);
  // Limiters flatten the extremum of the velocity, so that the density is of lower order beside it.
  EXPECT_GE(order(coarse.density, fine.density), 1.6);
  EXPECT_LE(fine.energy, 1e-4);
  EXPECT_GE(order(coarse.energy, fine.energy), 1.8);
}

// Gravity of first order in time would change the mass by half a per cent.
TEST(AccretionRun, DependsLittleOnTheTimeStep) {
  const auto mass_within = [](const char* max_dt) {
    const Config config =
        shipped_input("accretion-2d", {"mesh.min-level=2", "mesh.max-level=2", "scenario.radius=0.4",
                                       "scenario.end-scale-factor=0.003", "output.plot-times=[]", max_dt});
    const auto simulation = make_simulation(config, available_processors());
    while (simulation->time() < config.time.end) simulation->advance(config.time.end);
    double sum = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      if (std::hypot(v.x[0], v.x[1]) < 0.3) sum += (v.q[0] - 1) * v.dx * v.dx;
    });
    return sum;
  };
  const double change = mass_within("time.max-dt=0.04") / mass_within("time.max-dt=0.08") - 1;
  std::printf("excess changes by %.1e with half the time step\n", change);
  EXPECT_LT(std::abs(change), 3e-4);
}

TEST(AccretionRun, ForgetsTheShapeOfItsSeed) {
  const double mass = 0.2 * 3.14159265358979 * 0.03 * 0.03;
  const Result point =
      accrete(shipped_input("accretion-2d", {"mesh.max-level=4", "scenario.seed=point",
                                             "scenario.radius=0.02", fmt::format("scenario.mass={}", mass)}));
  EXPECT_NEAR(point.turnaround / point.formula, 1, 0.05);
}

TEST(AccretionRun, NoiseGrowsAsLinearTheorySays) {
  // Without a dominating mass the excess about the centre grows as 3/5 a + 2/5 a^(-3/2) while it is small.
  const Config config =
      shipped_input("accretion-2d", {"mesh.max-level=3", "scenario.seed=noise", "scenario.amplitude=0.005",
                                     "scenario.noise-cells=8", "scenario.pressure=1e-9",
                                     "scenario.end-scale-factor=0.008", "output.plot-times=[]"});
  const auto simulation = make_simulation(config, available_processors());
  const auto excess_within = [&](double radius) {
    double sum = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      if (std::hypot(v.x[0], v.x[1]) < radius) sum += (v.q[0] - 1) * v.dx * v.dx;
    });
    return sum;
  };
  const double before = excess_within(0.6);
  while (simulation->time() < config.time.end) simulation->advance(config.time.end);
  const double ratio = excess_within(0.6) / before, a = 8;
  const double linear = 0.6 * a + 0.4 * std::pow(a, -1.5);
  std::printf("excess grew %.3f-fold, linear theory %.3f\n", ratio, linear);
  EXPECT_NEAR(ratio / linear, 1, 0.1);
}

}  // namespace
}  // namespace meander::simulation
