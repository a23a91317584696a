// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The Euler equations with an entropy density: bitwise the plain equations where the gas is hot, and the exact adiabat
// where it is cold. Blocks and packs agree in test_block_kernels.cpp.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "physics/euler/dual_energy_terms.hpp"
#include "physics/euler/solver.hpp"
#include "solvers/prolongation.hpp"
#include "tests/solvers/every_scheme.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::euler {
namespace {

using test::every_scheme;
using test::Patch;

static_assert(Reconstructible<DualEnergyTerms<2>> && Reconstructible<DualEnergyTerms<3>>);
static_assert(Floored<DualEnergyTerms<2>> && Floored<DualEnergyTerms<3>>);

constexpr Parameters gas{.gamma = 5.0 / 3, .dual_energy = true};

// Unknowns of gas with density rho, velocity u along x and pressure p.
std::array<double, 6> state(double rho, double u, double p) {
  std::array<double, 6> q{rho, rho * u, 0, 0, p / (gas.gamma - 1) + 0.5 * rho * u * u, 0};
  DualEnergyTerms<3>(gas).complete(q.data());
  return q;
}

TEST(DualEnergy, CompletesTheEntropyDensity) {
  const auto q = state(2, 0.5, 3);
  EXPECT_NEAR(q[5], 3 / std::pow(2, 2.0 / 3), 1e-14);
}

TEST(DualEnergy, TakesTheEntropyOfHotGasFromItsEnergyAndViceVersa) {
  const DualEnergyTerms<3> terms(gas);
  auto hot = state(2, 1, 3), cold = state(2, 1000, 3e-2);
  // A shock heats the gas: the energy grows, the entropy density does not yet.
  hot[4] *= 2;
  const auto heated = hot;
  EXPECT_FALSE(terms.enforce(hot.data()));
  EXPECT_EQ(hot[4], heated[4]);
  EXPECT_NEAR(hot[5] / state(2, 1, (heated[4] - 1) * 2 / 3)[5], 1, 1e-14);
  // A truncation error of a millionth doubles the internal energy of cold gas: the entropy repairs it.
  const auto exact = cold;
  cold[4] *= 1 + 1e-6;
  std::array<double, 5> a{};
  std::array<double, 6> w{};
  terms.auxiliary(cold.data(), a.data());
  terms.primitive(cold.data(), w.data());
  EXPECT_NEAR(a[3] / 3e-2, 1, 1e-8);
  EXPECT_NEAR(w[4] / 3e-2, 1, 1e-8);
  EXPECT_FALSE(terms.enforce(cold.data()));
  EXPECT_EQ(cold[5], exact[5]);
  EXPECT_NEAR(cold[4] / exact[4], 1, 1e-15);
}

// Between both fractions the energy decides about the pressure, and neither changes the other.
TEST(DualEnergy, KeepsBothEnergiesApartInBetween) {
  const DualEnergyTerms<3> terms(gas);
  auto q = state(1, 10, 1);
  q[4] += 1;
  const auto before = q;
  EXPECT_FALSE(terms.enforce(q.data()));
  EXPECT_EQ(q, before);
  std::array<double, 5> a{};
  terms.auxiliary(q.data(), a.data());
  EXPECT_NEAR(a[3], 1 + 2.0 / 3, 1e-13);
}

TEST(DualEnergy, RaisesBothEnergiesToTheFloor) {
  Parameters floored = gas;
  floored.density_floor = 1e-3;
  floored.pressure_floor = 1e-4;
  const DualEnergyTerms<3> terms(floored);
  for (const double u : {0.0, 1000.0}) {
    auto q = state(1, u, 1e-5);
    EXPECT_TRUE(terms.enforce(q.data())) << u;
    EXPECT_NEAR(q[5] / 1e-4, 1, 1e-14) << u;
    EXPECT_NEAR((q[4] - 0.5 * u * u) * (2.0 / 3) / 1e-4, 1, 1e-5) << u;
    const auto raised = q;
    EXPECT_FALSE(terms.enforce(q.data())) << u;
    EXPECT_EQ(q, raised) << u;
  }
  auto thin = state(1e-4, 0, 1);
  EXPECT_TRUE(terms.enforce(thin.data()));
  EXPECT_EQ(thin[0], 1e-3);
}

// A state of inputs/dust-collapse.toml, as a halo without bounds on its speed left it.
TEST(DualEnergy, FloorsStopOverdrawnGas) {
  Parameters floored = gas;
  floored.density_floor = 1e-8;
  floored.pressure_floor = 1e-12;
  const DualEnergyTerms<3> terms(floored);
  std::array<double, 6> q{-1.4e-3, 0.044, -0.059, 0.072, 6.06, -154};
  EXPECT_TRUE(terms.enforce(q.data()));
  const double thermal = 1e-12 / (gas.gamma - 1);
  for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(q[n], (std::array{1e-8, 0.0, 0.0, 0.0, thermal}[n])) << n;
  EXPECT_TRUE(terms.admissible(q.data()));
}

TEST(DualEnergy, DetectsBrokenStates) {
  const DualEnergyTerms<3> terms(gas);
  const double broken[] = {std::nan(""), -1.0, INFINITY};
  for (const double u : {0.0, 1000.0}) {
    EXPECT_TRUE(terms.admissible(state(1, u, 1).data()));
    for (const double value : broken) {
      for (const std::size_t n : {0u, 1u}) {
        auto q = state(1, u, 1);
        q[n] = value;
        if (value == (n == 0 ? INFINITY : -1.0)) continue;  // the equations accept these
        terms.enforce(q.data());
        EXPECT_FALSE(terms.admissible(q.data())) << n << ' ' << value << ' ' << u;
      }
    }
    auto q = state(1, u, 1);
    q[4] = std::nan("");
    terms.enforce(q.data());
    EXPECT_FALSE(terms.admissible(q.data())) << u;
  }
}

// Cold gas that moves is not steep where its velocity changes by many sound speeds but by little of itself.
TEST(DualEnergy, MeasuresChangesOfTheVelocityByTheEnergy) {
  const DualEnergyTerms<3> terms(gas);
  const double sound = std::sqrt(1e-6);  // isothermal
  const double change[] = {0.01, 10 * sound, 10 * sound, 10 * sound, 1e-8, 1e-8};
  const double swift[] = {1, 1, 0, 0, 1e-6, 1e-6}, still[] = {1, 0, 0, 0, 1e-6, 1e-6};
  EXPECT_FALSE(terms.steep(swift, change));
  EXPECT_TRUE(terms.steep(still, change));
  EXPECT_TRUE(Terms<3>(gas).steep(swift, change));
  for (const int n : {0, 1, 4, 5}) {
    std::vector<double> w(swift, swift + 6), large(change, change + 6);
    large[static_cast<std::size_t>(n)] = 0.07 * w[static_cast<std::size_t>(n)];
    EXPECT_TRUE(terms.steep(w.data(), large.data())) << n;
    large[static_cast<std::size_t>(n)] = std::nan("");
    EXPECT_TRUE(terms.steep(w.data(), large.data())) << n;
  }
}

template <int D>
void expect_entropy_in_children() {
  constexpr int p = 9;
  constexpr double entropy = 1e-6;
  const auto solver = make_solver(D, gas, {.scheme = "muscl"});
  const PatchLayout layout = solver->traits().layout(p);
  const DualEnergyTerms<D> terms(gas);
  Patch coarse(layout), cold(layout), hot(layout);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> draw(1.0, 2.0);
  test::for_volumes(layout, layout.h, [&](int i, int j, int k) {
    double q[DualEnergyTerms<D>::unknowns];
    q[0] = draw(engine);
    for (int a = 0; a < D; ++a) q[1 + a] = q[0] * (2 + draw(engine));
    q[terms.entropy] = entropy * q[0];
    q[terms.energy] = terms.from_others(q);
    for (int n = 0; n < layout.unknowns; ++n) coarse.at(n, i, j, k) = q[n];
  });
  solvers::Box<D> interior;
  interior.extent.fill(p);
  Index<D> middle;
  middle.fill(p);
  solvers::prolong<D>(*solver, layout, cold.q, coarse.q, interior, middle);
  double most_apart = 0;
  test::for_volumes(layout, 0, [&](int i, int j, int k) {
    const std::vector<double> q = cold.volume(i, j, k);
    ASSERT_NEAR(q[terms.entropy] / q[0] / entropy, 1, 1e-14);
    ASSERT_EQ(q[terms.energy], terms.from_others(q.data()));
    double a[DualEnergyTerms<D>::auxiliaries];
    terms.auxiliary(q.data(), a);
    ASSERT_NEAR(a[terms.pressure] / (entropy * std::pow(q[0], gas.gamma)), 1, 1e-12);
    const double parent = coarse.at(terms.energy, p / 3 + i / 3, p / 3 + j / 3, D == 2 ? 0 : p / 3 + k / 3);
    most_apart = std::max(most_apart, std::abs(q[terms.energy] / parent - 1));
  });
  EXPECT_GT(most_apart, 0.01);  // there are slopes

  // Every third volume is hot.
  test::for_volumes(layout, layout.h, [&](int i, int j, int k) {
    if ((i + j + k + 9) % 3 == 0) coarse.at(terms.energy, i, j, k) *= 1.3;
  });
  solvers::prolong<D>(*solver, layout, hot.q, coarse.q, interior, middle);
  std::map<std::array<int, 3>, std::array<double, DualEnergyTerms<D>::unknowns>> sums;
  test::for_volumes(layout, 0, [&](int i, int j, int k) {
    for (int n = 0; n < layout.unknowns; ++n)
      sums[{i / 3, j / 3, k / 3}][static_cast<std::size_t>(n)] += hot.at(n, i, j, k);
  });
  double most_lost = 0;
  for (const auto& [c, sum] : sums) {
    const bool is_hot = (c[0] + c[1] + c[2] + (D == 2 ? p / 3 * 2 : p / 3 * 3) + 9) % 3 == 0;
    for (int n = 0; n < layout.unknowns; ++n) {
      const double own = coarse.at(n, p / 3 + c[0], p / 3 + c[1], D == 2 ? 0 : p / 3 + c[2]),
                   mean = sum[static_cast<std::size_t>(n)] / (D == 2 ? 9 : 27);
      if (n != terms.energy || is_hot) {
        EXPECT_NEAR(mean / own, 1, 1e-14) << n;
      } else {
        most_lost = std::max(most_lost, std::abs(mean / own - 1));
      }
    }
  }
  EXPECT_GT(most_lost, 1e-4);
}

class DualEnergyUpdate : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, DualEnergyUpdate, testing::Values(2, 3));

// Hot gas: density, momentum and energy are bitwise those without dual energy.
TEST_P(DualEnergyUpdate, ChangesNoBitOfHotGas) {
  const int dim = GetParam(), p = 6;
  for (const SchemeWords& scheme : every_scheme<Terms<3>>()) {
    const auto one = make_solver(dim, {.gamma = gas.gamma}, scheme), both = make_solver(dim, gas, scheme);
    Patch expected(PatchLayout(dim, p, one->traits().halo, dim + 2)),
        found(PatchLayout(dim, p, one->traits().halo, dim + 3));
    test::fill_random_gas(expected, 3, gas.gamma, dim);
    test::for_volumes(found.layout, found.layout.h, [&](int i, int j, int k) {
      std::vector<double> q = expected.volume(i, j, k);
      q.push_back(0);
      both->complete(q.data());
      for (int n = 0; n < dim + 3; ++n) found.at(n, i, j, k) = q[static_cast<std::size_t>(n)];
    });
    PatchStatus status[2];
    const PatchTask tasks[2] = {expected.task(0.1), found.task(0.1)};
    one->update({tasks, 1}, expected.layout, 0, 0, 1e-3, {status, 1});
    both->update({tasks + 1, 1}, found.layout, 0, 0, 1e-3, {status + 1, 1});
    EXPECT_TRUE(status[1].admissible);
    EXPECT_EQ(status[0].max_rate, status[1].max_rate);
    test::for_volumes(found.layout, 0, [&](int i, int j, int k) {
      for (int n = 0; n < dim + 2; ++n)
        ASSERT_EQ(expected.at(n, i, j, k), found.at(n, i, j, k)) << scheme.scheme << ' ' << n;
    });
  }
}

// Gas of one entropy near Mach 2000, with densities and velocities that vary between all volumes: the entropy of every
// volume stays the same to rounding, and the energy agrees with it.
TEST_P(DualEnergyUpdate, KeepsTheEntropyOfColdGasUniform) {
  const int dim = GetParam(), p = 6;
  constexpr double entropy = 1e-6;
  for (const SchemeWords& scheme : every_scheme<Terms<3>>()) {
    const auto solver = make_solver(dim, gas, scheme);
    Patch patch(PatchLayout(dim, p, solver->traits().halo, dim + 3));
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> draw(1.0, 2.0);
    test::for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
      const double rho = draw(engine), pressure = entropy * std::pow(rho, gas.gamma);
      double kinetic = 0;
      patch.at(0, i, j, k) = rho;
      for (int a = 0; a < dim; ++a) {
        const double u = 2 + 0.02 * draw(engine);
        patch.at(1 + a, i, j, k) = rho * u;
        kinetic += 0.5 * rho * u * u;
      }
      patch.at(dim + 1, i, j, k) = kinetic + pressure / (gas.gamma - 1);
      patch.at(dim + 2, i, j, k) = entropy * rho;
    });
    PatchStatus status;
    const PatchTask task = patch.task(0.1);
    solver->update({&task, 1}, patch.layout, 0, 0, 1e-3, {&status, 1});
    EXPECT_TRUE(status.admissible);
    EXPECT_EQ(status.floored, 0);
    test::for_volumes(patch.layout, 0, [&](int i, int j, int k) {
      const std::vector<double> q = patch.volume(i, j, k);
      EXPECT_NEAR(q.back() / q[0] / entropy, 1, 1e-13) << scheme.scheme << ' ' << scheme.riemann;
      double kinetic = 0;
      for (std::size_t a = 1; a <= static_cast<std::size_t>(dim); ++a) kinetic += 0.5 * q[a] * q[a] / q[0];
      const double internal = entropy * std::pow(q[0], gas.gamma) / (gas.gamma - 1);
      EXPECT_NEAR((q[static_cast<std::size_t>(dim) + 1] - kinetic) / internal, 1, 1e-7);
    });
  }
}

// Cold gas of one entropy, with densities and velocities whose slopes are limited everywhere: all that is prolonged from it has
// that entropy, by its energy, too. From hot gas the energy is prolonged as without dual energy, and the other unknowns keep their
// means.
TEST_P(DualEnergyUpdate, ProlongsColdGasWithItsEntropy) {
  GetParam() == 2 ? expect_entropy_in_children<2>() : expect_entropy_in_children<3>();
}

}  // namespace
}  // namespace meander::euler
