// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "physics/euler/diagnostics/radial_profile.hpp"
#include "tests/simulation/scenario_fixture.hpp"

namespace meander::simulation {
using namespace euler;
namespace {

constexpr double gamma = 5.0 / 3.0;

// A gas with the radial dependence given by three functions.
template <class Density, class Velocity, class Pressure>
auto radial_gas(int dim, Density density, Velocity velocity, Pressure pressure) {
  return [=](const double* x, double, double* q) {
    double r2 = 0;
    for (int d = 0; d < dim; ++d) r2 += x[d] * x[d];
    const double r = std::sqrt(r2), rho = density(r), u = velocity(r);
    q[0] = rho;
    for (int d = 0; d < dim; ++d) q[1 + d] = r > 0 ? rho * u * x[d] / r : 0;
    q[dim + 1] = pressure(r) / (gamma - 1) + 0.5 * rho * u * u;
  };
}

RadialProfile profile_from(int shells, double radius, double (*velocity)(double)) {
  RadialProfile profile;
  profile.dr = radius / shells;
  profile.density.assign(static_cast<std::size_t>(shells), 1.0);
  profile.pressure = profile.density;
  for (std::size_t i = 0; i < profile.size(); ++i)
    profile.radial_velocity.push_back(velocity(profile.radius(i)));
  return profile;
}

// Infall like r^-1/2 outside a shock at 0.15, gas at rest inside.
double free_infall(double r) {
  return r < 0.15 ? 0.0 : -1.2 / std::sqrt(r);
}

TEST(RadialProfileFinders, LocateTurnaroundAndShockOfSyntheticInfall) {
  const double tau = -0.5;
  // 1.2 / sqrt(r) = 4 r at r = 0.3^(2/3).
  const double turnaround = std::pow(0.3, 2.0 / 3.0);
  for (const int shells : {40, 100, 1000}) {
    const auto profile = profile_from(shells, 1, free_infall);
    EXPECT_NEAR(turnaround_radius(profile, tau), turnaround, 0.05 / shells + 1e-3 * (shells < 100));
    EXPECT_NEAR(accretion_shock_radius(profile, tau), 0.15, 0.6 / shells);
  }
}

TEST(RadialProfileFinders, SayZeroWhereNothingTurnsAround) {
  const auto profile = profile_from(100, 1, [](double) { return 0.0; });
  EXPECT_EQ(turnaround_radius(profile, -0.5), 0);
  EXPECT_EQ(accretion_shock_radius(profile, -0.5), 0);
  EXPECT_EQ(blast_radius(profile), 0);
}

TEST(RadialProfileFinders, LocateABlast) {
  for (const int shells : {50, 500}) {
    auto profile = profile_from(shells, 1, [](double) { return 0.0; });
    for (std::size_t i = 0; i < profile.size(); ++i) {
      const double r = profile.radius(i);
      // Sedov's pressure has about this shape, here smeared over two shells.
      const double share = std::clamp(0.5 + (0.4 - r) / (2 * profile.dr), 0.0, 1.0);
      profile.pressure[i] = 1e-5 + share * (0.4 + 0.6 * std::pow(r / 0.4, 12));
    }
    EXPECT_NEAR(blast_radius(profile), 0.4, 0.6 / shells);
  }
}

struct ProfileCase {
  int dim;
  double refined_radius;
};
class RadialProfileOf : public testing::TestWithParam<ProfileCase> {};
INSTANTIATE_TEST_SUITE_P(DimensionsAndMeshes, RadialProfileOf,
                         testing::Values(ProfileCase{2, 0.0}, ProfileCase{2, 0.45}, ProfileCase{3, 0.0},
                                         ProfileCase{3, 0.45}));

TEST_P(RadialProfileOf, SmoothGasFollowsItsFunctions) {
  const auto [dim, refined] = GetParam();
  const auto density = [](double r) { return 1 + std::exp(-4 * r * r); };
  const auto velocity = [](double r) { return -r * (1 - r); };
  const auto pressure = [](double r) { return 2 - r; };
  const TestMesh mesh(dim, 9, -1, 1, 9, refined, radial_gas(dim, density, velocity, pressure));
  ThreadTeam team(2);
  const auto profile = radial_profile(mesh.view(-1, team), {}, 1, gamma);
  for (std::size_t i = 6; i < profile.size(); ++i) {
    const double r = profile.radius(i);
    EXPECT_NEAR(profile.density[i], density(r), 0.02) << r;
    EXPECT_NEAR(profile.radial_velocity[i], velocity(r), 0.02) << r;
    EXPECT_NEAR(profile.pressure[i], pressure(r), 0.02) << r;
  }
}

TEST_P(RadialProfileOf, InfallShowsTurnaroundAndShock) {
  const auto [dim, refined] = GetParam();
  const TestMesh mesh(dim, 9, -1, 1, 9, refined,
                      radial_gas(
                          dim, [](double) { return 1.0; }, free_infall, [](double) { return 0.1; }));
  ThreadTeam team(1);
  const auto profile = radial_profile(mesh.view(-0.5, team), {}, 1, gamma);
  const double dx = 2.0 / 81 / (refined > 0 ? 3 : 1);
  EXPECT_NEAR(turnaround_radius(profile, -0.5), std::pow(0.3, 2.0 / 3.0), 0.006);
  EXPECT_NEAR(accretion_shock_radius(profile, -0.5), 0.15, 0.6 * dx);
}

TEST_P(RadialProfileOf, AnyStateHasTheSameBitsForAnyThreads) {
  const auto [dim, refined] = GetParam();
  const TestMesh mesh(dim, 5, -1, 1, 7, refined,
                      radial_gas(
                          dim, [](double r) { return std::exp(-9 * r); }, free_infall,
                          [](double r) { return std::exp(-20 * r); }));
  ThreadTeam one(1);
  const auto reference = radial_profile(mesh.view(-1, one), {}, 0.8, gamma);
  for (const int threads : {2, 3, 5}) {
    ThreadTeam team(threads);
    const auto profile = radial_profile(mesh.view(-1, team), {}, 0.8, gamma);
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
    };
    EXPECT_TRUE(same(profile.density, reference.density));
    EXPECT_TRUE(same(profile.radial_velocity, reference.radial_velocity));
    EXPECT_TRUE(same(profile.pressure, reference.pressure));
  }
}

}  // namespace
}  // namespace meander::simulation
