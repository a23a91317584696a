// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "simulation/scenario_tools/volume_means.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/simulation/scenario_fixture.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {
namespace {

constexpr double five_thirds = 5.0 / 3.0;

// Integrals of the unknowns over a uniform mesh of n^dim volumes.
std::vector<double> integrals(const Scenario& scenario, const ProblemSetup& setting, int n) {
  const double dx = (setting.upper[0] - setting.lower[0]) / n;
  std::vector<ExactSum> sums(static_cast<std::size_t>(setting.dim) + 2);
  TestMesh::for_box(setting.dim, n, [&](const int* i) {
    double x[3], q[5];
    for (int d = 0; d < setting.dim; ++d)
      x[d] = setting.lower[static_cast<std::size_t>(d)] + (i[d] + 0.5) * dx;
    scenario.initial(x, dx, q);
    for (std::size_t u = 0; u < sums.size(); ++u) sums[u].add(q[u]);
  });
  std::vector<double> integral;
  for (const ExactSum& sum : sums) integral.push_back(sum.value() * std::pow(dx, setting.dim));
  return integral;
}

TEST(Scenarios, AreListedOnceEach) {
  for (const auto& entry : scenarios()) {
    EXPECT_FALSE(entry.meaning.empty());
    int count = 0;
    for (const auto& other : scenarios()) count += other.name == entry.name;
    EXPECT_EQ(count, 1) << entry.name;
  }
}

TEST(Scenarios, NameTheInputThatReplacesAFormerOne) {
  try {
    physics_input("[scenario]\nname = \"vortex\"\nswirl = 0.5\n");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("test.toml:2:8: scenario.name: 'vortex' is an input of formulas now: take "
                                 "inputs/vortex.toml\n"))
        << error.what();
  }
}

TEST(Scenarios, SetUpWithDefaultsInEveryDimensionTheyClaim) {
  for (const auto& entry : scenarios()) {
    if (entry.equation != "euler") continue;
    for (const int dim : entry.dims) {
      SCOPED_TRACE(entry.name);
      const auto setting = cube(dim, 0, 1, entry.name == "accretion" ? five_thirds : 1.4);
      const auto scenario = make_scenario(entry.name, setting);
      EXPECT_LT(scenario->default_start(), scenario->default_end());
      const double x[3] = {0.31, 0.62, 0.47};
      double q[5] = {}, beyond[5] = {};
      scenario->initial(x, 0.01, q);
      scenario->boundary(x, 0.01, 0.0, beyond);
      EXPECT_GT(q[0], 0);
      EXPECT_GT(q[dim + 1], 0);
      EXPECT_GT(beyond[0], 0);
    }
  }
}

class EveryDimension : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, EveryDimension, testing::Values(2, 3));

TEST_P(EveryDimension, SodIsExactAcrossTheDiaphragm) {
  const int dim = GetParam();
  const auto setting = cube(dim, 0, 1);
  for (const char* axis : {"x", "y", "z"}) {
    if (dim == 2 && *axis == 'z') continue;
    const auto sod = make_scenario("sod", setting,
                                   {{"axis", std::string(axis)}, {"position", 0.43}, {"left-velocity", 0.7}});
    for (const int n : {3, 10, 27}) {
      const auto sum = integrals(*sod, setting, n);
      EXPECT_NEAR(sum[0], 0.43 + 0.57 * 0.125, 1e-13);
      EXPECT_NEAR(sum[static_cast<std::size_t>(1 + *axis - 'x')], 0.43 * 0.7, 1e-13);
      EXPECT_NEAR(sum.back(), 0.43 * (2.5 + 0.5 * 0.49) + 0.57 * 0.25, 1e-13);
    }
  }
}

TEST(Riemann2d, IsExactAcrossTheCross) {
  const auto setting = cube(2, 0, 1);
  const auto riemann = make_scenario("riemann-2d", setting, {{"centre", std::vector<double>{0.3, 0.8}}});
  for (const int n : {3, 10, 27})
    EXPECT_NEAR(integrals(*riemann, setting, n)[0],
                0.7 * 0.2 * 1.5 + 0.3 * 0.2 * 0.5323 + 0.3 * 0.8 * 0.138 + 0.7 * 0.8 * 0.5323, 1e-13);
  EXPECT_EQ(riemann->default_end(), 0.3);
}

TEST_P(EveryDimension, SedovHoldsItsEnergyOnAnyMesh) {
  const int dim = GetParam();
  const auto setting = cube(dim, 0, 1);
  // Smaller than a volume, off the mesh's symmetry, and near a face.
  for (const double radius : {1e-3, 0.05, 0.2}) {
    std::vector<double> centre = {0.37, 0.61, 0.25};
    centre.resize(static_cast<std::size_t>(dim));
    const auto sedov =
        make_scenario("sedov", setting, {{"radius", radius}, {"centre", centre}, {"energy", 0.7}});
    for (const int n : {1, 5, 27}) EXPECT_NEAR(integrals(*sedov, setting, n).back(), 0.7 + 2.5e-5, 1e-13);
  }
}

TEST_P(EveryDimension, SedovIsSymmetricAboutItsCentre) {
  const int dim = GetParam();
  const auto sedov = make_scenario("sedov", cube(dim, -1, 1), {{"radius", 0.1}});
  for (double x = 0.0; x < 1; x += 1.0 / 16) {
    const double a[3] = {x, 0.25, -0.125}, b[3] = {-x, -0.25, 0.125}, c[3] = {0.25, x, -0.125};
    double qa[5], qb[5], qc[5];
    sedov->initial(a, 0.0625, qa);
    sedov->initial(b, 0.0625, qb);
    sedov->initial(c, 0.0625, qc);
    EXPECT_EQ(qa[dim + 1], qb[dim + 1]);
    EXPECT_NEAR(qa[dim + 1], qc[dim + 1], 1e-14 * qa[dim + 1]);
  }
}

TEST(Vortex, MeansConvergeFast) {
  const auto setting = cube(2, -1, 1);
  const Config config =
      physics_input("[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\n[mesh]\npatch-size = 9\n" +
                    vortex_scenario({.radius = 0.15}));
  const auto fine = integrals(*config.scenario, setting, 243);
  for (const int n : {27, 81}) {
    const auto sum = integrals(*config.scenario, setting, n);
    for (std::size_t u = 0; u < sum.size(); ++u) EXPECT_NEAR(sum[u], fine[u], n == 27 ? 1e-6 : 1e-9);
  }
}

TEST_P(EveryDimension, TopHatHoldsItsExcessOnAnyMesh) {
  const int dim = GetParam();
  const auto setting = cube(dim, -1, 1, five_thirds);
  const double exact = 0.2 * (dim == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi) * std::pow(0.08, dim);
  std::vector<double> centre = {0.037, -0.041, 0.013};
  centre.resize(static_cast<std::size_t>(dim));
  const auto accretion = make_scenario("accretion", setting, {{"centre", centre}});
  for (const int n : {5, 27, 81}) {
    const double excess = integrals(*accretion, setting, n)[0] - std::pow(2.0, dim);
    EXPECT_NEAR(excess / exact, 1, 3e-5) << n;
  }
}

TEST_P(EveryDimension, PointMassHoldsItsExcessOnAnyMesh) {
  const int dim = GetParam();
  const auto setting = cube(dim, -1, 1, five_thirds);
  const auto accretion =
      make_scenario("accretion", setting, {{"seed", std::string("point")}, {"radius", 0.01}, {"mass", 1e-3}});
  for (const int n : {3, 27, 50})
    EXPECT_NEAR(integrals(*accretion, setting, n)[0] - std::pow(2.0, dim), 1e-3, 1e-11);
}

// A compensated seed leaves the excess within two thirds of the radius as it is, and none within the radius: the gas beyond it
// feels no gravity.
TEST_P(EveryDimension, CompensatedSeedHasNoExcessFromItsRadiusOn) {
  const int dim = GetParam();
  const auto setting = cube(dim, -1, 1, five_thirds);
  const double ball = dim == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi;
  for (const ParameterValues& seed :
       {ParameterValues{{"delta", 0.2}, {"radius", 0.08}},
        ParameterValues{
            {"seed", std::string("point")}, {"radius", 0.02}, {"mass", 0.2 * ball * std::pow(0.08, dim)}}}) {
    ParameterValues compensated_seed = seed;
    compensated_seed["compensation-radius"] = 0.9;
    const auto bare = make_scenario("accretion", setting, seed);
    const auto compensated = make_scenario("accretion", setting, compensated_seed);
    const double excess = 0.2 * ball * std::pow(0.08, dim);
    const int n = 81;
    double total = 0;
    TestMesh::for_box(dim, n, [&](const int* i) {
      double x[3] = {}, with[5], without[5], r2 = 0;
      for (int d = 0; d < dim; ++d) {
        x[d] = (2 * i[d] + 1.0) / n - 1;
        r2 += x[d] * x[d];
      }
      bare->initial(x, 2.0 / n, without);
      compensated->initial(x, 2.0 / n, with);
      const double r = std::sqrt(r2), width = 2.0 / n * std::sqrt(dim);
      if (r < 0.6 - width || r > 0.9 + width) {
        EXPECT_EQ(with[0], without[0]) << r;
      } else if (r > 0.6 + width && r < 0.9 - width) {
        EXPECT_NEAR((with[0] - 1) * (1 - std::pow(2.0 / 3, dim)) * ball * std::pow(0.9, dim), -excess, 1e-12);
      }
      total += (with[0] - 1) * std::pow(2.0 / n, dim);
    });
    EXPECT_NEAR(total / excess, 0, 1e-4);
  }
}

TEST_P(EveryDimension, NoiseDependsOnPlaceAndSeedAlone) {
  const int dim = GetParam();
  const auto setting = cube(dim, 0, 1, five_thirds);
  const ParameterValues values = {{"seed", std::string("noise")}, {"amplitude", 0.1}, {"noise-cells", 9}};
  auto other_seed = values;
  other_seed["random-seed"] = 2;
  const auto noise = make_scenario("accretion", setting, values),
             again = make_scenario("accretion", setting, values);
  const auto other = make_scenario("accretion", setting, other_seed);
  int equal = 0;
  TestMesh::for_box(dim, 9, [&](const int* i) {
    double x[3], q[5], q2[5], q3[5];
    for (int d = 0; d < dim; ++d) x[d] = (i[d] + 0.5) / 9;
    noise->initial(x, 1.0 / 9, q);
    again->initial(x, 1.0 / 9, q2);
    other->initial(x, 1.0 / 9, q3);
    EXPECT_EQ(q[0], q2[0]);
    EXPECT_LE(std::abs(q[0] - 1), 0.1 + 1e-12);
    equal += q[0] == q3[0];
  });
  EXPECT_EQ(equal, 0);
  // Means over coarser and finer volumes hold the same mass.
  const double mass = integrals(*noise, setting, 9)[0];
  for (const int n : {1, 4, 27}) EXPECT_NEAR(integrals(*noise, setting, n)[0], mass, 1e-12);
}

TEST(CellNoise, IsUniformAndUncorrelated) {
  const CellNoise noise{3, {}, 1.0, 7};
  double sum = 0, squares = 0, neighbours = 0;
  const int n = 40;
  TestMesh::for_box(3, n, [&](const int* i) {
    const double here = noise.in_cell({i[0], i[1], i[2]}), next = noise.in_cell({i[0] + 1, i[1], i[2]});
    sum += here;
    squares += here * here;
    neighbours += here * next;
  });
  const double count = std::pow(n, 3), error = 5 / std::sqrt(count);
  EXPECT_NEAR(sum / count, 0, error);
  EXPECT_NEAR(squares / count, 1.0 / 3, error);
  EXPECT_NEAR(neighbours / count, 0, error);
}

TEST(Accretion, RunsInSupercomovingTime) {
  const auto accretion = make_scenario("accretion", cube(3, -1, 1, five_thirds));
  EXPECT_DOUBLE_EQ(accretion->default_start(), -1 / std::sqrt(1e-3));
  EXPECT_DOUBLE_EQ(accretion->default_end(), -1 / std::sqrt(8.0));
}

struct Wrong {
  const char* scenario;
  ParameterValues values;
  const char* key;
  double gamma = 1.4;
};

TEST(Scenarios, RejectInvalidParameters) {
  const std::vector<double> outside = {0.5, 1.5}, three = {0.5, 0.5, 0.5};
  const Wrong wrongs[] = {
      {"uniform", {{"density", -1.0}}, "density"},
      {"uniform", {{"pressure", 0.0}}, "pressure"},
      {"uniform", {{"velocity", three}}, "velocity"},
      {"sod", {{"axis", std::string("z")}}, "axis"},
      {"sod", {{"position", 1.0}}, "position"},
      {"sod", {{"left-density", -0.1}}, "left-density"},
      {"sod", {{"right-pressure", 0.0}}, "right-pressure"},
      {"riemann-2d", {{"configuration", 99}}, "configuration"},
      {"riemann-2d", {{"centre", outside}}, "centre"},
      {"sedov", {{"energy", 0.0}}, "energy"},
      {"sedov", {{"radius", 0.6}}, "radius"},
      {"sedov", {{"centre", three}}, "centre"},
      {"accretion", {{"delta", -1.0}}, "delta", five_thirds},
      {"accretion", {{"radius", 0.51}}, "radius", five_thirds},
      {"accretion", {{"compensation-radius", 0.51}}, "compensation-radius", five_thirds},
      {"accretion", {{"compensation-radius", 0.11}}, "compensation-radius", five_thirds},
      {"accretion", {{"compensation-radius", 0.16}, {"delta", 1000.0}}, "compensation-radius", five_thirds},
      {"accretion", {{"pressure", -1e-7}}, "pressure", five_thirds},
      {"accretion", {{"centre", outside}}, "centre", five_thirds},
      {"accretion", {{"end-scale-factor", 1e-4}}, "end-scale-factor", five_thirds},
      {"accretion", {{"seed", std::string("noise")}, {"amplitude", 1.5}}, "amplitude", five_thirds},
      {"accretion", {}, "5/3", 1.4},
  };
  for (const Wrong& wrong : wrongs) {
    SCOPED_TRACE(std::string(wrong.scenario) + " " + wrong.key);
    try {
      make_scenario(wrong.scenario, cube(2, 0, 1, wrong.gamma), wrong.values);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.key), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace meander::simulation
