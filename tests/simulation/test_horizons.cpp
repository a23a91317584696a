// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Apparent horizons of exact data, without a mesh: area, spin and shape against closed formulas.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/exact/punctures.hpp"
#include "physics/ccz4/horizons/measures.hpp"
#include "physics/ccz4/initial_data/two_punctures.hpp"
#include "simulation/scenario.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;

using Fill = std::function<void(const double (&x)[3], double* q)>;

HorizonFields fields_at(const Fill& fill, const Point<3>& at) {
  const double x[3] = {at[0], at[1], at[2]};
  double q[unknowns];
  fill(x, q);
  HorizonFields fields;
  for (std::size_t u = 0; u < horizon_unknowns.size(); ++u) fields.of[u] = q[horizon_unknowns[u]];
  return fields;
}

// Radial derivatives by differences of fourth order.
FieldSource source_of(const Fill& fill) {
  return [fill](std::span<const Point<3>> points, std::span<const Point<3>> directions) {
    FieldSamples samples;
    for (std::size_t n = 0; n < points.size(); ++n) {
      samples.values.push_back(fields_at(fill, points[n]));
      if (directions.empty()) continue;
      HorizonFields& slope = samples.slopes.emplace_back();
      constexpr double step = 1e-3;
      for (const auto& [side, weight] : {std::array{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
        Point<3> there = points[n];
        for (std::size_t i = 0; i < 3; ++i) there[i] += side * step * directions[n][i];
        const HorizonFields fields = fields_at(fill, there);
        for (std::size_t u = 0; u < horizon_unknowns.size(); ++u)
          slope.of[u] += weight / (12 * step) * fields.of[u];
      }
    }
    return samples;
  };
}

FieldSource kerr_schild(double spin, double velocity) {
  return source_of([hole = exact::KerrSchild{1.0, spin, velocity}](const double(&x)[3], double* q) {
    const double at[4] = {0, x[0], x[1], x[2]};
    exact::from_metric(hole, at, Slicing::one_plus_log, exact::Gauge::free, q);
  });
}

FieldSource holes(const std::vector<exact::Hole>& list) {
  return source_of(
      [data = exact::Punctures{list}](const double(&x)[3], double* q) { exact::from_data(data, x, q); });
}

constexpr SearchLimits exact_limits{.residual = 1e-12, .rms = 1};

struct Found {
  SearchResult search;
  HorizonMeasures measures;
};

Found find(const FieldSource& source, const Point<3>& centre, double radius, int l_max,
           SearchLimits limits = exact_limits) {
  const HorizonFinder finder(l_max);
  Found found;
  found.search = finder.search(source, HorizonShape::sphere(centre, radius, l_max), limits);
  if (has_surface(found.search.status))
    found.measures = measure_horizon(finder, source, found.search.surface);
  std::printf("l_max %d: status %d, %d flow, %d Newton, residual %.1e, rms %.1e\n", l_max,
              static_cast<int>(found.search.status), found.search.flow_steps, found.search.newton_steps,
              found.search.residual, found.search.rms);
  return found;
}

double area_of_kerr(double spin) {
  return 8 * pi * (1 + std::sqrt(1 - spin * spin));
}

TEST(Horizons, OfASchwarzschildPunctureAreExact) {
  for (const double off : {0.0, 0.13}) {
    const Found found = find(holes({exact::Hole{}}), {off, -off / 2, 0}, 0.8, 8, {.residual = 1e-13});
    ASSERT_EQ(found.search.status, SearchStatus::found);
    const HorizonMeasures& m = found.measures;
    EXPECT_NEAR(m.area / (16 * pi), 1, 1e-12);
    EXPECT_NEAR(m.irreducible_mass, 1, 1e-12);
    EXPECT_NEAR(m.christodoulou_mass, 1, 1e-12);
    for (const double radius : {m.mean_radius, m.least_radius, m.largest_radius})
      EXPECT_NEAR(radius, 0.5, 1e-7 * off + 1e-12);
    for (const double x : m.centroid) EXPECT_NEAR(x, 0, 1e-7 * off + 1e-12);
    EXPECT_NEAR(m.polar, 4 * pi, 1e-6 * off + 1e-11);
    EXPECT_NEAR(m.equatorial, 4 * pi, 1e-6 * off + 1e-11);
    EXPECT_NEAR(m.chi, 0, 1e-12);
    EXPECT_NEAR(m.killing_eigenvalue, 0, 1e-7 * off + 1e-11);
  }
}

struct OfSpin {
  int l_max;
  double area, spin;  // tolerances
};

TEST(Horizons, OfKerrHaveItsAreaSpinAndShape) {
  for (const OfSpin& demand : {OfSpin{8, 1e-7, 1e-6}, OfSpin{12, 1e-10, 1e-10}}) {
    const Found found = find(kerr_schild(0.9, 0), {0, 0, 0}, 2.2, demand.l_max);
    ASSERT_EQ(found.search.status, SearchStatus::found);
    const HorizonMeasures& m = found.measures;
    std::printf("errors: area %.1e, J %.1e by coordinates, %.1e by Killing vectors, C_p / C_e %.1e\n",
                m.area / area_of_kerr(0.9) - 1, m.coordinate_spin[2] - 0.9, m.spin[2] - 0.9,
                m.polar / m.equatorial - 0.78396780);
    EXPECT_NEAR(m.area / area_of_kerr(0.9), 1, demand.area);
    EXPECT_NEAR(m.spin[2], 0.9, demand.spin);
    EXPECT_NEAR(m.coordinate_spin[2], 0.9, demand.spin);
    EXPECT_NEAR(std::hypot(m.spin[0], m.spin[1]), 0, 1e-12);
    EXPECT_NEAR(m.chi, 0.9, demand.spin);
    EXPECT_NEAR(m.christodoulou_mass, 1, demand.spin);
    EXPECT_NEAR(m.polar / m.equatorial, 0.78396780, 1e-6);
    EXPECT_NEAR(m.equatorial, 4 * pi, 2e-5);
    EXPECT_LT(m.tail, 1e-6);
  }
}

// About another point than the middle, in a direction oblique to the spin.
TEST(Horizons, OfKerrHaveTheirSpinAlongTheAxisFromAnyCentre) {
  const Found found = find(kerr_schild(0.5, 0), {0.3, 0, 0.3}, 2.2, 12);
  ASSERT_EQ(found.search.status, SearchStatus::found);
  const HorizonMeasures& m = found.measures;
  std::printf("spin across the axis %.1e\n", std::hypot(m.spin[0], m.spin[1]));
  EXPECT_NEAR(m.spin[2], 0.5, 1e-5);
  EXPECT_NEAR(std::hypot(m.spin[0], m.spin[1]), 0, 1e-5);
}

// Without exact symmetry of the coordinates about the spin: only Killing vectors give it.
TEST(HorizonsLong, OfAMovingHoleAreThoseOfTheHoleAtRest) {
  const Found plain = find(kerr_schild(0, 0.5), {0, 0, 0}, 2.2, 12);
  ASSERT_EQ(plain.search.status, SearchStatus::found);
  EXPECT_NEAR(plain.measures.area / (16 * pi), 1, 1e-10);
  EXPECT_NEAR(plain.measures.least_radius / plain.measures.largest_radius, std::sqrt(0.75), 2e-3);
  const Found found = find(kerr_schild(0.9, 0.5), {0, 0, 0}, 2.0, 16);
  ASSERT_EQ(found.search.status, SearchStatus::found);
  EXPECT_NEAR(found.measures.area / area_of_kerr(0.9), 1, 1e-9);
  EXPECT_NEAR(found.measures.spin[2], 0.9, 1e-9);
  EXPECT_GT(std::abs(found.measures.coordinate_spin[2] - 0.9), 1e-3);
}

TEST(Horizons, OfAFastHoleAreFoundToo) {
  const Found found = find(kerr_schild(0, 0.8), {0, 0, 0}, 2.2, 12);
  ASSERT_TRUE(has_surface(found.search.status));
  std::printf("error of the area %.1e\n", found.measures.area / (16 * pi) - 1);
  EXPECT_NEAR(found.measures.area / (16 * pi), 1, 1e-5);
}

// Angular momentum of conformally flat data is the same on any surface.
TEST(Horizons, OfASpinningPunctureHaveTheSpinOfTheData) {
  exact::Hole hole;
  const Point<3> spin = {0.1, -0.2, 0.15};
  std::copy(spin.begin(), spin.end(), hole.spin);
  const Found found = find(holes({hole}), {0.02, 0.01, 0}, 0.8, 10);
  ASSERT_EQ(found.search.status, SearchStatus::found);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.measures.coordinate_spin[i], spin[i], 1e-9);
    EXPECT_NEAR(found.measures.spin[i], spin[i], 1e-4);
  }
}

// Brill-Lindquist data. Distances and masses are those of a solution as an ordinary differential equation.
FieldSource pair(double distance) {
  exact::Hole left, right;
  left.position[2] = -distance / 2;
  right.position[2] = distance / 2;
  return holes({left, right});
}

TEST(HorizonsLong, CommonToTwoHolesExistUpToTheCriticalSeparation) {
  for (const auto& [distance, mass] : {std::array{1.0, 1.99649684}, {1.4, 1.98544580}, {1.53, 1.97696321}}) {
    const Found found = find(pair(distance), {0, 0, 0}, distance / 2 + 1, 12);
    ASSERT_TRUE(has_surface(found.search.status)) << distance;
    EXPECT_NEAR(found.measures.irreducible_mass, mass, 1e-6);
  }
  EXPECT_EQ(find(pair(1.55), {0, 0, 0}, 1.775, 12).search.status, SearchStatus::flow_shrank);
}

TEST(Horizons, OfOneOfTwoHoles) {
  const Found found = find(pair(3), {0, 0, 1.5}, 0.8, 12);
  ASSERT_EQ(found.search.status, SearchStatus::found);
  EXPECT_NEAR(found.measures.irreducible_mass, 1.16666646, 1e-6);
}

// The mass of each hole is its ADM mass at its other end; without momenta the spin is that of the data exactly.
TEST(Horizons, OfABinaryHaveTheMassesAndSpinsOfItsData) {
  std::array<exact::Hole, 2> holes;
  holes[0] = {.mass = 0.5, .position = {2, 0, 0}, .momentum = {0, 0, 0}, .spin = {0.02, 0, 0.05}};
  holes[1] = {.mass = 0.4, .position = {-2, 0, 0}, .momentum = {0, 0, 0}, .spin = {0, 0, 0}};
  const TwoPunctures data(holes, 30, 12);
  const FieldSource source = source_of([&](const double(&x)[3], double* q) { exact::from_data(data, x, q); });
  for (std::size_t h = 0; h < 2; ++h) {
    const double* at = holes[h].position;
    const Found found = find(source, {at[0], at[1], at[2]}, 0.8 * holes[h].mass, 8, {.residual = 1e-9});
    ASSERT_EQ(found.search.status, SearchStatus::found);
    const HorizonMeasures& m = found.measures;
    std::printf("hole %zu: mass %.6f, ADM %.6f\n", h + 1, m.christodoulou_mass, data.adm_mass(h));
    EXPECT_NEAR(m.christodoulou_mass / data.adm_mass(h), 1, 1e-3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(m.coordinate_spin[i], holes[h].spin[i], 1e-5);
    EXPECT_NEAR(m.spin[2], holes[h].spin[2], 1e-3);
  }
}

// Bowen-York data have the same angular momentum on any surface about the puncture. The reference is solved in other
// coordinates.
TEST(Horizons, OfTheShippedSpinningPunctureHaveItsSpin) {
  std::array<exact::Hole, 2> holes;
  holes[0].spin[2] = 0.5;
  holes[1] = {.mass = 0, .position = {2, 1, 1}, .momentum = {0, 0, 0}, .spin = {0, 0, 0}};
  const TwoPunctures other(holes, 40, 16);
  const auto find_of = [](const Fill& fill) {
    const Found found = find(source_of(fill), {0.01, 0.02, 0}, 0.6, 8, {.residual = 1e-9});
    EXPECT_EQ(found.search.status, SearchStatus::found);
    return found.measures;
  };
  const HorizonMeasures reference =
      find_of([&](const double(&x)[3], double* q) { exact::from_data(other, x, q); });
  for (const auto& [spin, along] : {std::pair{"[0, 0, 0.5]", 2}, {"[0.5, 0, 0]", 0}}) {
    const auto config =
        simulation::shipped_input("spinning-puncture", {std::string("scenario.spin=") + spin});
    const HorizonMeasures m =
        find_of([&](const double(&x)[3], double* q) { config.scenario->initial(x, 0, q); });
    std::printf("M_irr %.8f, %.1e off, M %.8f, chi %.6f\n", m.irreducible_mass,
                m.irreducible_mass - reference.irreducible_mass, m.christodoulou_mass, m.chi);
    EXPECT_NEAR(m.irreducible_mass, reference.irreducible_mass, 1e-6);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(m.coordinate_spin[i], static_cast<int>(i) == along ? 0.5 : 0, 1e-6);
    EXPECT_NEAR(m.spin[static_cast<std::size_t>(along)], 0.5, 1e-6);
  }
}

// Newton's method alone, from a neighbouring surface: few steps, the same surface as from far.
TEST(Horizons, AreTrackedFromANeighbouringSurface) {
  const HorizonFinder finder(8);
  const FieldSource source = kerr_schild(0.5, 0);
  const SearchResult far = finder.search(source, HorizonShape::sphere({0, 0, 0}, 2.2, 8), exact_limits);
  ASSERT_EQ(far.status, SearchStatus::found);
  HorizonShape near = far.surface.shape;
  near.a.front() *= 1.02;
  near.a[mode_index(2, 1)] += 0.02;
  const SearchResult tracked = finder.track(source, near, exact_limits);
  ASSERT_EQ(tracked.status, SearchStatus::found);
  EXPECT_EQ(tracked.flow_steps, 0);
  EXPECT_LE(tracked.newton_steps, 4);
  for (std::size_t m = 0; m < near.a.size(); ++m)
    EXPECT_NEAR(tracked.surface.shape.a[m], far.surface.shape.a[m], 1e-11);
}

TEST(Horizons, AreNotFoundInFlatSpaceAndBeyondTheDomain) {
  const FieldSource flat = source_of([](const double(&x)[3], double* q) {
    const double at[4] = {0, x[0], x[1], x[2]};
    exact::from_metric([]<class S>(const S(&)[4]) { return exact::flat<S>(); }, at, Slicing::one_plus_log,
                       exact::Gauge::free, q);
  });
  EXPECT_EQ(find(flat, {0, 0, 0}, 1, 8).search.status, SearchStatus::flow_shrank);
  const FieldSource outside = [](std::span<const Point<3>> points, std::span<const Point<3>>) {
    return FieldSamples{
        .values = std::vector<HorizonFields>(points.size()), .slopes = {}, .is_inside = false};
  };
  EXPECT_EQ(find(outside, {0, 0, 0}, 1, 8).search.status, SearchStatus::left_domain);
}

// Harmonics are orthonormal; derivatives satisfy the equation of the angular Laplace operator.
TEST(Horizons, UseOrthonormalHarmonics) {
  const SphereGrid grid(6, 13);
  for (std::size_t m = 0; m < grid.modes; ++m) {
    std::vector<double> y(grid.size()), laplace(grid.size());
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const SphereDerivatives at = grid.at(n)[m];
      const double sine = std::sin(grid.theta[n]);
      y[n] = at.value;
      laplace[n] = at.tt + std::cos(grid.theta[n]) / sine * at.t + at.pp / (sine * sine);
    }
    const std::vector<double> modes = grid.project(y), curved = grid.project(laplace);
    const int l = degree_of(m);
    for (std::size_t other = 0; other < grid.modes; ++other) {
      EXPECT_NEAR(modes[other], other == m ? 1 : 0, 1e-13);
      EXPECT_NEAR(curved[other], other == m ? -l * (l + 1) : 0, 1e-11);
    }
  }
}

}  // namespace
}  // namespace meander::ccz4
