// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The patch kernels for equations whose terms are evaluated together, against plain loops over volumes; and
// the CCZ4 solver's interface to the mesh.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "physics/ccz4/solver.hpp"
#include "solvers/fourth_order.hpp"
#include "solvers/patch_solver.hpp"
#include "solvers/rusanov_fused.hpp"
#include "tests/solvers/ccz4_states.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::ccz4 {
namespace {

using solvers::test::for_volumes;
using solvers::test::Patch;

// Values are independent in each volume, so that any misplaced neighbour is detected. Halos across edges are
// NaN.
void fill_random(Patch& patch, unsigned seed) {
  std::mt19937 engine(seed);
  for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
    if (solvers::test::axes_outside(patch.layout, i, j, k) > 1) return;
    double q[unknowns];
    test::random_state(engine, q);
    for (int n = 0; n < unknowns; ++n)
      patch.at(n, i, j, k) = (n < at::Theta || n == at::a || n == at::phi ? 1 : 0.1) * q[n];
  });
}

std::vector<double> next(const Patch& old, int i, int j, int k, int axis, int steps) {
  return old.volume(i + (axis == 0 ? steps : 0), j + (axis == 1 ? steps : 0), k + (axis == 2 ? steps : 0));
}

TEST(Ccz4Kernels, RusanovAgreesWithPlainLoops) {
  const Terms terms;
  for (const int p : {3, 4, 5, 8, 9}) {
    for (const int h : {1, 3}) {
      const PatchLayout layout(3, p, h, unknowns);
      Patch patch(layout);
      fill_random(patch, static_cast<unsigned>(p));
      const Patch old = patch;
      Patch scalar = patch;
      const double dx = 0.3, dt = 0.002;
      const PatchTask tasks[2] = {patch.task(dx), scalar.task(dx)};
      PatchStatus status[2];
      update_batch<RusanovFused<Terms, Pack>>(terms, std::span(tasks, 1), layout, 0, 0, dt, {},
                                              std::span(status, 1));
      update_batch<RusanovFused<Terms, double>>(terms, std::span(tasks + 1, 1), layout, 0, 0, dt, {},
                                                std::span(status + 1, 1));
      EXPECT_EQ(status[0].max_rate, status[1].max_rate);
      EXPECT_EQ(status[0].admissible, status[1].admissible);
      EXPECT_EQ(status[0].floored, status[1].floored);
      double max_rate = 0;
      for_volumes(layout, 0, [&](int i, int j, int k) {
        ASSERT_EQ(patch.volume(i, j, k), scalar.volume(i, j, k));
        std::vector<double> q = old.volume(i, j, k), gradient(3 * unknowns), rate(unknowns), flux(unknowns);
        double here[3];
        terms.auxiliary(q.data(), here);
        for (int a = 0; a < 3; ++a) {
          const std::vector<double> low = next(old, i, j, k, a, -1), high = next(old, i, j, k, a, 1);
          double below[3], above[3];
          terms.auxiliary(low.data(), below);
          terms.auxiliary(high.data(), above);
          for (std::size_t n = 0; n < unknowns; ++n) {
            gradient[static_cast<std::size_t>(a) * unknowns + n] = (high[n] - low[n]) / (2 * dx);
            flux[n] += (std::max(here[a], above[a]) * (high[n] - q[n]) -
                        std::max(here[a], below[a]) * (q[n] - low[n])) /
                       (2 * dx);
          }
        }
        terms.rates(q.data(), gradient.data(), rate.data());
        for (std::size_t n = 0; n < unknowns; ++n) q[n] += dt * (rate[n] + flux[n]);
        terms.enforce(q.data());
        for (int n = 0; n < unknowns; ++n)
          ASSERT_NEAR(patch.at(n, i, j, k), q[static_cast<std::size_t>(n)], 1e-13);
        terms.auxiliary(patch.volume(i, j, k).data(), here);
        max_rate = std::max(max_rate, here[0] + here[1] + here[2]);
      });
      EXPECT_EQ(status[0].max_rate, max_rate);
      EXPECT_TRUE(status[0].admissible);
    }
  }
}

// Derivatives by fourth-order differences and sixth-difference dissipation, volume by volume.
std::vector<double> slopes(const Terms& terms, const Patch& old, int i, int j, int k, double dx) {
  std::vector<double> q = old.volume(i, j, k), gradient(3 * unknowns), rate(unknowns);
  std::vector<double> damping(unknowns);
  static constexpr double first[7] = {0, 1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12, 0};
  static constexpr double sixth[7] = {1, -6, 15, -20, 15, -6, 1};
  for (int a = 0; a < 3; ++a) {
    for (int s = -3; s <= 3; ++s) {
      const std::vector<double> there = next(old, i, j, k, a, s);
      for (std::size_t n = 0; n < unknowns; ++n) {
        gradient[static_cast<std::size_t>(a) * unknowns + n] += first[s + 3] * there[n] / dx;
        damping[n] += terms.parameters.dissipation / 64 * sixth[s + 3] * there[n] / dx;
      }
    }
  }
  terms.rates(q.data(), gradient.data(), rate.data());
  for (std::size_t n = 0; n < unknowns; ++n) rate[n] += damping[n];
  return rate;
}

// With rates of relaxation that fall beyond some volumes' distance from the middle.
Terms falling() {
  Parameters parameters;
  parameters.eta_radius = 0.9;
  parameters.ordering_radius = 0.5;
  parameters.k1_radius = 0.7;
  return {parameters};
}
// The terms at the centre of a volume, by constant rates.
Terms terms_at(const Terms& terms, int i, int j, int k, double dx) {
  Terms there = terms;
  Parameters& p = there.parameters;
  const double distance = dx * std::hypot(i + 0.5, j + 0.5, k + 0.5);
  if (p.eta_radius > 0) p.eta *= std::min(1.0, p.eta_radius / distance);
  if (p.ordering_radius > 0) p.ordering *= std::min(1.0, p.ordering_radius / distance);
  if (p.k1_radius > 0) p.k1 *= std::min(1.0, p.k1_radius / distance);
  return there;
}

void expect_plain_loops(const Terms& terms) {
  static constexpr double reach[4] = {0.5, 0.5, 1.0, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (const int p : {3, 4, 5, 8, 9}) {
    const PatchLayout layout(3, p, 3, unknowns);
    const double dx = 0.3, dt = 0.002;
    Patch patch(layout), scalar(layout);
    std::vector<double> stages(static_cast<std::size_t>(2 * layout.stage_block_size() + 8), 1e300),
        others = stages;
    std::vector<std::vector<double>> start, sum;
    for (int stage = 0; stage < 4; ++stage) {
      // The halos of a stage normally come from neighbours; here they are random.
      Patch input(layout);
      fill_random(input, static_cast<unsigned>(10 * p + stage));
      if (stage > 0)
        for_volumes(layout, 0, [&](int i, int j, int k) {
          for (int n = 0; n < unknowns; ++n) input.at(n, i, j, k) = patch.at(n, i, j, k);
        });
      patch = input;
      scalar = input;
      PatchTask task = patch.task(dx), scalar_task = scalar.task(dx);
      task.stages = stages.data();
      scalar_task.stages = others.data();
      FourthOrder<Terms, Pack> kernel(terms, layout, workspace(layout));
      const PatchStatus status = kernel.update(task, stage, dt);
      FourthOrder<Terms, double> scalar_kernel(terms, layout, workspace(layout));
      EXPECT_EQ(status.max_rate, scalar_kernel.update(scalar_task, stage, dt).max_rate);
      EXPECT_TRUE(status.admissible);
      std::size_t v = 0;
      for_volumes(layout, 0, [&](int i, int j, int k) {
        ASSERT_EQ(patch.volume(i, j, k), scalar.volume(i, j, k));
        const std::vector<double> slope = slopes(terms_at(terms, i, j, k, dx), input, i, j, k, dx);
        if (stage == 0) {
          start.push_back(input.volume(i, j, k));
          sum.emplace_back(unknowns, 0.0);
        }
        std::vector<double> q = start[v];
        for (std::size_t n = 0; n < unknowns; ++n) {
          sum[v][n] += weight[stage] * slope[n];
          q[n] += dt * (stage == 3 ? sum[v][n] : reach[stage] * slope[n]);
        }
        terms.enforce(q.data());
        for (int n = 0; n < unknowns; ++n)
          ASSERT_NEAR(patch.at(n, i, j, k), q[static_cast<std::size_t>(n)], 2e-13);
        ++v;
      });
    }
    EXPECT_EQ(stages.back(), 1e300);  // nothing after the blocks was written
    EXPECT_EQ(stages[stages.size() - 8], 1e300);
  }
}

TEST(Ccz4Kernels, FourthOrderAgreesWithPlainLoops) {
  expect_plain_loops(Terms{});
  expect_plain_loops(falling());
}

// The equations are symmetric under reflection: a mirrored state evolves as the mirror image.
TEST(Ccz4Solver, ReflectionSignsAreThoseOfTheEquations) {
  const Terms terms;
  const auto solver = make_solver({});
  std::mt19937 engine(23);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> sign(unknowns);
    solver->reflection_signs(axis, sign);
    double q[unknowns], gradient[3 * unknowns], rate[unknowns], mirrored_rate[unknowns];
    test::random_state(engine, q);
    for (double& d : gradient) d = draw(engine);
    terms.rates(q, gradient, rate);
    for (int n = 0; n < unknowns; ++n) {
      q[n] *= sign[static_cast<std::size_t>(n)];
      for (int a = 0; a < 3; ++a)
        gradient[a * unknowns + n] *= sign[static_cast<std::size_t>(n)] * (a == axis ? -1 : 1);
    }
    terms.rates(q, gradient, mirrored_rate);
    for (int n = 0; n < unknowns; ++n)
      EXPECT_NEAR(mirrored_rate[n], sign[static_cast<std::size_t>(n)] * rate[n],
                  1e-12 * (1 + std::abs(rate[n])))
          << n;
  }
}

TEST(Ccz4Solver, NamesEveryUnknownOnce) {
  const auto solver = make_solver({});
  const std::vector<std::string>& names = solver->traits().unknown_names;
  EXPECT_EQ(names.size(), unknowns);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), unknowns);
  EXPECT_EQ(names[at::a], "lapse");
  EXPECT_EQ(names[at::B + 5], "B_yz");
  EXPECT_EQ(names[at::D + 7], "D_yxy");
  EXPECT_EQ(names[at::K0], "K0");
  double q[unknowns];
  for (int n = 0; n < unknowns; ++n) q[n] = n + 1;
  for (std::size_t n = 0; n < unknowns; ++n) {
    EXPECT_EQ(solver->derived()[n].name, names[n]);
    EXPECT_EQ(solver->derived()[n].value(solver->parameters(), q), static_cast<double>(n + 1));
  }
}

TEST(Ccz4Solver, EnforcesConstraintsAfterProlongation) {
  const auto solver = make_solver({});
  const PatchLayout layout(3, 4, 3, unknowns);
  Patch patch(layout);
  fill_random(patch, 31);
  patch.at(at::a, 1, 2, 3) = -1;
  for_volumes(layout, 0, [&](int i, int j, int k) { patch.at(at::g, i, j, k) *= 1.1; });
  const PatchStatus status = solver->enforce_floors(patch.task(0.1), layout);
  EXPECT_EQ(status.floored, 1);
  EXPECT_TRUE(status.admissible);
  for_volumes(layout, 0, [&](int i, int j, int k) {
    Symmetric<double> inverse;
    EXPECT_NEAR(determinant(Fields<const double>{patch.volume(i, j, k).data()}, inverse), 1.0, 4e-15);
  });
  patch.at(at::K, 0, 0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->inspect(patch.task(0.1), layout).admissible);
}

// What lies behind the row does not matter.
TEST(Ccz4Solver, ARowIsAdmissibleIfEachVolumeIs) {
  const auto solver = make_solver({});
  std::mt19937 engine(7);
  constexpr int stride = 24;
  for (int count = 1; count <= 20; ++count) {
    std::vector<double> row(unknowns * stride, std::numeric_limits<double>::quiet_NaN());
    for (int i = 0; i < count; ++i) {
      double q[unknowns];
      test::random_state(engine, q);
      for (int n = 0; n < unknowns; ++n) row[static_cast<std::size_t>(n * stride + i)] = q[n];
    }
    EXPECT_TRUE(solver->row_surely_admissible(row.data(), stride, count)) << count;
    for (int i = 0; i < count; ++i) {
      for (const int n : {at::a, at::phi, static_cast<int>(engine() % unknowns)}) {
        auto broken = row;
        broken[static_cast<std::size_t>(n * stride + i)] =
            n == at::a ? -1 : std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(solver->row_surely_admissible(broken.data(), stride, count)) << i << " of " << count;
      }
    }
  }
}

// The volumes that an update finds beyond a bound, with the value before the correction.
TEST(Ccz4Kernels, ReportWhereAStateIsBeyondItsBounds) {
  const PatchLayout layout(3, 9, 3, unknowns);
  for (const Scheme scheme : {Scheme::rusanov, Scheme::fourth_order}) {
    Parameters parameters;
    parameters.scheme = scheme;
    const auto solver = make_solver(parameters);
    ASSERT_EQ(solver->bounds().size(), 3U);
    const auto updated = [&](int unknown, double value, int i, int j, int k) {
      Patch patch(layout);
      for_volumes(layout, 3, [&](int x, int y, int z) {
        for (int n = 0; n < unknowns; ++n) patch.at(n, x, y, z) = 0;
        for (const int n : {at::g, at::g + 3, at::g + 5, at::a, at::phi}) patch.at(n, x, y, z) = 1;
      });
      patch.at(unknown, i, j, k) = value;
      std::vector<double> stages(static_cast<std::size_t>(2 * layout.stage_block_size()));
      PatchTask task = patch.task(0.1);
      task.stages = stages.data();
      PatchStatus status;
      solver->update(std::span(&task, 1), layout, 0, 0, 1e-9, std::span(&status, 1));
      return status;
    };
    const auto quantity_of = [&](const PatchStatus& status) {
      return solver->bounds().at(static_cast<std::size_t>(status.breach.bound)).quantity;
    };
    const PatchStatus sound = updated(at::a, 0.5, 1, 2, 3);
    EXPECT_EQ(sound.breach.bound, -1);
    EXPECT_EQ(sound.strayed, 0);
    const PatchStatus lapse = updated(at::a, -0.25, 8, 7, 6);
    EXPECT_EQ(quantity_of(lapse), "lapse");
    EXPECT_EQ(lapse.breach.volume, (6 * 9 + 7) * 9 + 8);
    EXPECT_NEAR(lapse.breach.value, -0.25, 1e-6);
    EXPECT_EQ(lapse.floored, 1);
    const PatchStatus phi = updated(at::phi, -0.125, 0, 4, 8);
    EXPECT_EQ(quantity_of(phi), "phi");
    EXPECT_EQ(phi.breach.volume, (8 * 9 + 4) * 9);
    EXPECT_NEAR(phi.breach.value, -0.125, 1e-6);
    const PatchStatus det = updated(at::g + 3, 1.3, 5, 0, 2);
    EXPECT_EQ(quantity_of(det), "det(g~)");
    EXPECT_EQ(det.breach.volume, 2 * 9 * 9 + 5);
    EXPECT_NEAR(det.breach.value, 1.3, 1e-6);
    EXPECT_EQ(det.strayed, 1);
    EXPECT_EQ(det.floored, 0);
    EXPECT_TRUE(det.admissible);
  }
}

}  // namespace
}  // namespace meander::ccz4
