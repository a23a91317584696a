// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Spacetimes evolved in periodic boxes: flat space, gauge waves, gravitational waves, noise.

#include <gtest/gtest.h>

#include "physics/ccz4/constraints.hpp"
#include "tests/solvers/ccz4_box.hpp"

namespace meander::ccz4 {
namespace {

using test::Box3;
using test::for_waves;

constexpr Scheme schemes[] = {Scheme::rusanov, Scheme::fourth_order};

struct Flat {
  template <class S>
  exact::Adm<S> operator()(const S (&)[4]) const {
    return exact::flat<S>();
  }
};

TEST(Ccz4EvolutionLong, FlatSpaceIsPreservedBitwise) {
  for (const Scheme scheme : schemes) {
    for (const int p : {3, 5, 9}) {
      Parameters parameters;
      parameters.scheme = scheme;
      Box3 box(parameters, p, {2, 1, 1}, 0.7);
      box.fill(Flat{});
      box.advance(0.1, 0.2);
      box.for_all([&](double x, double y, double z, const solvers::test::Patch& patch, int i, int j, int k) {
        double q[unknowns];
        box.exact(Flat{}, 0, x, y, z, q);
        for (int n = 0; n < unknowns; ++n) ASSERT_EQ(patch.at(n, i, j, k), q[n]) << n;
      });
      EXPECT_TRUE(box.admissible());
      EXPECT_EQ(box.status[0].floored, 0);
    }
  }
}

// The orders of convergence between each resolution and the next, twice as fine.
template <class Metric>
std::vector<double> orders(const Metric& metric, const Parameters& parameters,
                           std::initializer_list<int> volumes, bool diagonal, double width, double time,
                           double cfl) {
  std::vector<double> errors, result;
  for (const int n : volumes) {
    Box3 box(parameters, 3, {n / 3, diagonal ? n / 3 : 1, 1}, width);
    box.fill(metric);
    box.advance(time, cfl);
    EXPECT_TRUE(box.admissible());
    errors.push_back(box.error(metric, time));
    if (errors.size() > 1) result.push_back(std::log2(errors[errors.size() - 2] / errors.back()));
  }
  return result;
}

TEST(Ccz4EvolutionLong, GaugeWaveConvergesAtFirstOrder) {
  const exact::GaugeWave wave{0.1, 1.0, false};
  for (const double order : orders(wave, for_waves(Scheme::rusanov), {27, 54, 108}, false, 1.0, 0.1, 0.25))
    EXPECT_GE(order, 0.9);
}

TEST(Ccz4EvolutionLong, GaugeWaveConvergesAtFourthOrder) {
  const exact::GaugeWave wave{0.1, 1.0, false};
  for (const double order :
       orders(wave, for_waves(Scheme::fourth_order), {27, 54, 108}, false, 1.0, 0.1, 0.25))
    EXPECT_GE(order, 3.8);
}

TEST(Ccz4EvolutionLong, DiagonalGaugeWaveConvergesAtFourthOrder) {
  const exact::GaugeWave wave{0.1, 1.0, true};
  for (const double order :
       orders(wave, for_waves(Scheme::fourth_order), {27, 54}, true, std::numbers::sqrt2, 0.1, 0.25))
    EXPECT_GE(order, 3.8);
}

TEST(Ccz4EvolutionLong, LinearWaveConvergesAtFourthOrder) {
  const exact::LinearWave wave{1e-8, 1.0};
  for (const double order : orders(wave, for_waves(Scheme::fourth_order), {27, 54}, false, 1.0, 1.0, 0.25))
    EXPECT_GE(order, 3.8);
}

TEST(Ccz4EvolutionLong, GaugeWaveIsStableForAHundredCrossings) {
  const exact::GaugeWave wave{0.1, 1.0, false};
  Box3 box(for_waves(Scheme::fourth_order), 3, {9, 1, 1}, 1.0);
  box.fill(wave);
  for (int t = 10; t <= 100; t += 10) {
    box.advance(10.0, 0.5);
    ASSERT_TRUE(box.admissible()) << t;
    ASSERT_LT(box.error(wave, t), 0.25) << t;
  }
}

// Noise in every unknown of flat space, for ten crossing times: it grows no faster than a polynomial on any
// mesh.
TEST(Ccz4EvolutionLong, NoiseGrowsPolynomiallyAtMost) {
  for (const bool shift : {false, true}) {
    for (const Scheme scheme : schemes) {
      for (const int rho : {1, 2, 4}) {
        Parameters parameters;
        parameters.scheme = scheme;
        parameters.evolves_shift = shift;
        parameters.f = 0.7;  // at 0.75 two wave speeds of flat space coincide
        Box3 box(parameters, 3, {3 * rho, 1, 1}, 1.0);
        std::mt19937 engine(17);
        std::uniform_real_distribution<double> noise(-1e-10 / (rho * rho), 1e-10 / (rho * rho));
        box.fill(Flat{});
        box.for_all([&](double, double, double, solvers::test::Patch& patch, int i, int j, int k) {
          for (int n = 0; n < unknowns; ++n) patch.at(n, i, j, k) += noise(engine);
        });
        box.exchange();
        const double start = box.error(Flat{}, 0), cfl = scheme == Scheme::rusanov ? 0.2 : 0.4;
        box.advance(5.0, cfl);
        const double half = box.error(Flat{}, 0);
        box.advance(5.0, cfl);
        const double end = box.error(Flat{}, 0);
        EXPECT_LE(half, 20 * start);
        EXPECT_LE(end, 4 * half);
      }
    }
  }
}

// For exact data, the Hamiltonian, momentum and ordering constraints on a mesh are the error of the
// differences.
TEST(Ccz4EvolutionLong, ConstraintsOfExactDataConvergeAtTheOrderOfTheDifferences) {
  for (const Scheme scheme : schemes) {
    double worst[2][constraint_count] = {};
    for (int fine = 0; fine < 2; ++fine) {
      Box3 box(for_waves(scheme), 3, {9 << fine, 9 << fine, 1}, std::numbers::sqrt2);
      box.fill(exact::GaugeWave{0.1, 1.0, true});
      std::vector<double> values(constraint_count * static_cast<std::size_t>(box.layout.volumes()));
      for (const PatchTask& task : box.tasks()) {
        patch_constraints(task, box.layout, values);
        for (std::size_t n = 0; n < values.size(); ++n) {
          double& most = worst[fine][n / static_cast<std::size_t>(box.layout.volumes())];
          most = std::max(most, std::abs(values[n]));
        }
      }
    }
    for (std::size_t n = 0; n < constraint_count; ++n) {
      if (worst[0][n] < 1e-12) continue;  // there is no shift, and nothing along z
      EXPECT_GE(std::log2(worst[0][n] / worst[1][n]), scheme == Scheme::rusanov ? 1.8 : 3.7)
          << constraint_names()[n];
    }
    EXPECT_GT(worst[0][0], 1e-6);
    EXPECT_GT(worst[0][5], 1e-6);
  }
}

// A black hole at rest is stationary up to the error of the scheme: the change of a patch near it in one
// short step, by the width of the patch.
double drift(Scheme scheme, double spin, double width) {
  Parameters parameters;
  parameters.scheme = scheme;
  parameters.evolves_shift = false;
  parameters.dissipation = 0;
  const auto solver = make_solver(parameters);
  const PatchLayout layout(3, 9, solver->traits().halo, unknowns);
  const double dx = width / 9, dt = 1e-4 * dx;
  solvers::test::Patch patch(layout);
  solvers::test::for_volumes(layout, layout.h, [&](int i, int j, int k) {
    const double at[4] = {0, 2.5 + (i - 4) * dx, 0.4 + (j - 4) * dx, 0.8 + (k - 4) * dx};
    double q[unknowns];
    exact::from_metric(exact::KerrSchild{1.0, spin, 0.0}, at, parameters.slicing, exact::Gauge::still, q);
    for (int n = 0; n < unknowns; ++n) patch.at(n, i, j, k) = q[n];
  });
  const solvers::test::Patch before = patch;
  PatchTask task = patch.task(dx);
  std::vector<double> stages(static_cast<std::size_t>(2 * layout.stage_block_size()));
  task.stages = stages.data();
  PatchStatus status;
  solver->update(std::span(&task, 1), layout, 0, 0, dt, std::span(&status, 1));
  double worst = 0;
  for (int n = 0; n < unknowns; ++n)
    worst = std::max(worst, std::abs(patch.at(n, 4, 4, 4) - before.at(n, 4, 4, 4)) / dt);
  return worst;
}

TEST(Ccz4EvolutionLong, KerrSchildDriftConvergesAtTheOrderOfTheScheme) {
  for (const double spin : {0.0, 0.9}) {
    const double first = std::log2(drift(Scheme::rusanov, spin, 0.8) / drift(Scheme::rusanov, spin, 0.4));
    const double fourth =
        std::log2(drift(Scheme::fourth_order, spin, 0.8) / drift(Scheme::fourth_order, spin, 0.4));
    EXPECT_GE(first, 0.95);
    EXPECT_GE(fourth, 3.9);
  }
}

}  // namespace
}  // namespace meander::ccz4
