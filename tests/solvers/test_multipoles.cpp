// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Multipole expansions against the potentials of point sources.
#include "solvers/multipoles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace meander::solvers {
namespace {

template <int D>
struct Source {
  Point<D> x;
  double strength;
};

// In a ball of radius 1 / 2 about a point.
template <int D>
std::vector<Source<D>> random_sources(const Point<D>& about) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.28, 0.28), strength(0.1, 1);
  std::vector<Source<D>> sources(20);
  for (auto& source : sources) {
    for (int a = 0; a < D; ++a) source.x[a] = about[a] + place(random);
    source.strength = strength(random);
  }
  return sources;
}

template <int D>
Multipoles<D> moments_of(const std::vector<Source<D>>& sources) {
  Multipoles<D> sum;
  for (const auto& source : sources) {
    const Multipoles<D> one(source.x);
    for (int n = 0; n < Multipoles<D>::count; ++n) sum[n] += source.strength * one[n];
  }
  return sum;
}

template <int D>
double exact(const std::vector<Source<D>>& sources, const Point<D>& x) {
  double sum = 0;
  for (const auto& source : sources) {
    double square = 0;
    for (int a = 0; a < D; ++a) square += (x[a] - source.x[a]) * (x[a] - source.x[a]);
    const double pi = std::numbers::pi;
    sum += source.strength * (D == 3 ? -1 / (4 * pi * std::sqrt(square)) : std::log(square) / (4 * pi));
  }
  return sum;
}

// The largest error of multipoles at points that far from the origin.
template <int D>
double error(const std::vector<Source<D>>& sources, const Multipoles<D>& moments, int order, double r) {
  double largest = 0;
  for (const auto& direction :
       {std::array{0.6, -0.64, 0.48}, std::array{0.8, 0.36, -0.48}, std::array{-0.48, 0.6, 0.64}}) {
    Point<D> x;
    for (int a = 0; a < D; ++a) x[a] = direction[static_cast<std::size_t>(a)] * r;
    largest = std::max(largest, std::abs(moments.potential(x, order) - exact<D>(sources, x)));
  }
  return largest;
}

template <class Dimension>
class MultipolesIn : public testing::Test {
 public:
  static constexpr int dim = Dimension::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(MultipolesIn, Dimensions);

// Truncated after order l, errors fall as the distance to the power -(l + 1), in 3D -(l + 2).
TYPED_TEST(MultipolesIn, GiveThePotentialFarAwayToTheirOrder) {
  constexpr int D = TestFixture::dim;
  const auto sources = random_sources<D>({});
  const auto moments = moments_of<D>(sources);
  for (int order = 0; order <= max_multipole_order; ++order) {
    const double found =
        std::log2(error<D>(sources, moments, order, 20) / error<D>(sources, moments, order, 40));
    EXPECT_NEAR(found, order + (D == 3 ? 2 : 1), 0.25) << "order " << order;
  }
}

TYPED_TEST(MultipolesIn, MoveExactly) {
  constexpr int D = TestFixture::dim;
  Point<D> by;
  for (int a = 0; a < D; ++a) by[a] = 0.7 - 0.4 * a;
  const auto moved = moments_of<D>(random_sources<D>({})).moved(by),
             there = moments_of<D>(random_sources<D>(by));
  for (int n = 0; n < Multipoles<D>::count; ++n) EXPECT_LE(std::abs(moved[n] - there[n]), 1e-13) << n;
}

TYPED_TEST(MultipolesIn, AboutTheCentreOfMassHaveNoDipole) {
  constexpr int D = TestFixture::dim;
  Point<D> by, back;
  for (int a = 0; a < D; ++a) by[a] = 0.7 - 0.4 * a;
  const auto sources = random_sources<D>(by);
  const auto moments = moments_of<D>(sources);
  const Point<D> centre = moments.centre();
  double mass = 0;
  Point<D> sum{};
  for (const auto& source : sources) {
    mass += source.strength;
    for (int a = 0; a < D; ++a) sum[a] += source.strength * source.x[a];
  }
  for (int a = 0; a < D; ++a) {
    EXPECT_NEAR(centre[a], sum[a] / mass, 1e-14);
    back[a] = -centre[a];
  }
  const auto about_centre = moments.moved(back);
  for (int n = 1; Multipoles<D>::order(n) == 1; ++n) EXPECT_LE(std::abs(about_centre[n]), 1e-13);
}

TYPED_TEST(MultipolesIn, HaveMirrorImages) {
  constexpr int D = TestFixture::dim;
  for (int axis = 0; axis < D; ++axis) {
    auto sources = random_sources<D>({});
    auto moments = moments_of<D>(sources);
    moments.add_mirrored(axis);
    for (std::size_t s = 0; s < 20; ++s) {
      sources.push_back(sources[s]);
      sources.back().x[axis] *= -1;
    }
    const auto both = moments_of<D>(sources);
    for (int n = 0; n < Multipoles<D>::count; ++n)
      EXPECT_LE(std::abs(moments[n] - both[n]), 1e-13) << axis << ' ' << n;
  }
}

}  // namespace
}  // namespace meander::solvers
