// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Guarantees of every patch kernel, for all schemes: bitwise equal results from packs and scalars,
// preservation of uniform flow, conservation by the recorded fluxes, mirror symmetry, and a status of the
// interior only.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>

#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"
#include "solvers/godunov.hpp"
#include "solvers/limiters.hpp"
#include "solvers/muscl.hpp"
#include "solvers/patch_solver.hpp"
#include "tests/solvers/allocations.hpp"
#include "tests/solvers/every_scheme.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

struct Case {
  int dim, p;
  SchemeWords scheme;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.dim << "D p" << c.p << ' ' << name_of<euler::Terms<3>>(c.scheme);
}
std::vector<Case> cases(const std::vector<int>& sizes) {
  std::vector<Case> all;
  for (int dim : {2, 3}) {
    for (int p : sizes) {
      for (const SchemeWords& scheme : every_scheme<euler::Terms<3>>()) all.push_back({dim, p, scheme});
    }
  }
  return all;
}

// The kernels with packs of one lane.
template <int D>
PatchStatus update_scalar(const euler::Parameters& parameters, const SchemeWords& words,
                          const PatchTask& task, const PatchLayout& layout, double dt,
                          const euler::Gravity& gravity) {
  using Terms = euler::Terms<D>;
  const Terms terms(parameters);
  PatchStatus status;
  const std::span<const PatchTask> tasks(&task, 1);
  const std::span<PatchStatus> result(&status, 1);
  with_scheme<Terms>(choice_of<Terms>(words), [&]<class Scheme>(std::type_identity<Scheme>) {
    update_batch<typename Scheme::template Cpu<Terms, double>>(terms, tasks, layout, 0, 0.0, dt, gravity,
                                                               result);
  });
  return status;
}

class PatchKernels : public testing::TestWithParam<Case> {
 protected:
  int dim = GetParam().dim, p = GetParam().p;
  SchemeWords scheme = GetParam().scheme;
  euler::Parameters parameters;
  std::unique_ptr<Solver> solver = euler::make_solver(dim, parameters, scheme);
  PatchLayout layout{dim, p, solver->traits().halo, dim + 2};
  int reach = solver->traits().halo_shape == HaloShape::faces ? 1 : 2;
  double dx = 0.1, dt = 0.002;

  Patch random_patch(unsigned seed) const {
    Patch patch(layout);
    fill_random_gas(patch, seed, parameters.gamma, reach);
    poison_unread(layout, patch.q, solver->traits().halo_shape);
    return patch;
  }
  PatchStatus update(const PatchTask& task) const {
    PatchStatus status;
    solver->update({&task, 1}, layout, 0, 0.0, dt, {&status, 1});
    return status;
  }
  euler::Gravity gravity() const {
    euler::Gravity g;
    g.radial = true;
    g.dim = dim;
    g.bins = 7;
    g.dr = 0.05;
    g.strength = 0.7;
    for (int i = 0; i <= g.bins; ++i) g.table[i] = 3.0 / (1 + i);
    g.excess_total = g.table[7] * std::pow(0.35, dim);
    g.strength_rate = -0.4;
    for (int i = 0; i <= g.bins; ++i) g.table_rate[i] = 5.0 / (2 + i);
    g.excess_rate = g.table_rate[7] * std::pow(0.35, dim);
    for (int a = 0; a < dim; ++a) g.upper[a] = layout.p * dx;
    g.beyond[0] = euler::Gravity::Beyond::periodic;
    g.beyond[3] = euler::Gravity::Beyond::mirrored;
    // With the radial field, or in its place.
    using Kind = euler::ExternalGravity::Kind;
    g.external = {layout.p % 2 == 0 ? Kind::point : Kind::uniform, {0.31, -0.52, 0.23}, 0.2, 1e-3};
    g.radial = layout.p != 4;
    return g;
  }
};
INSTANTIATE_TEST_SUITE_P(Quick, PatchKernels, testing::ValuesIn(cases({4, 9})));
INSTANTIATE_TEST_SUITE_P(Schemes, PatchKernels, testing::ValuesIn(cases({3, 5, 7, 8, 11, 17, 32})));

TEST_P(PatchKernels, PacksAndScalarsAreBitwiseEqual) {
  parameters.density_floor = 0.5;  // both floors apply to some volumes
  parameters.pressure_floor = 0.5;
  solver = euler::make_solver(dim, parameters, scheme);
  *static_cast<euler::Gravity*>(solver->step_data()) = gravity();
  Patch one = random_patch(1), other = one;
  std::array<std::vector<double>, 12> fluxes;
  PatchTask with_packs = one.task(dx), with_scalars = other.task(dx);
  for (int face = 0; face < 2 * dim; ++face) {
    for (int copy : {0, 6}) fluxes[face + copy].resize(static_cast<std::size_t>(layout.face_flux_size()));
    with_packs.flux[face] = fluxes[face].data();
    with_scalars.flux[face] = fluxes[face + 6].data();
  }
  const PatchStatus a = update(with_packs);
  const PatchStatus b = dim == 2 ? update_scalar<2>(parameters, scheme, with_scalars, layout, dt, gravity())
                                 : update_scalar<3>(parameters, scheme, with_scalars, layout, dt, gravity());
  for_volumes(layout, 0, [&](int i, int j, int k) { ASSERT_EQ(one.volume(i, j, k), other.volume(i, j, k)); });
  for (std::size_t face = 0; face < 6; ++face) EXPECT_EQ(fluxes[face], fluxes[face + 6]);
  EXPECT_EQ(a.max_rate, b.max_rate);
  EXPECT_EQ(a.first_order, b.first_order);
  EXPECT_EQ(a.floored, b.floored);
  EXPECT_GT(a.floored, 0);
  EXPECT_TRUE(a.admissible && b.admissible);
}

TEST_P(PatchKernels, UniformFlowIsPreserved) {
  Patch patch(layout);
  const double state[5] = {0.7, 0.31, -0.23, dim == 3 ? 0.11 : 2.9, 3.3};
  for_volumes(layout, layout.h, [&](int i, int j, int k) {
    if (axes_outside(layout, i, j, k) > reach) return;
    for (int n = 0; n < layout.unknowns; ++n) patch.at(n, i, j, k) = state[n];
  });
  const PatchStatus status = update(patch.task(dx));
  for_volumes(layout, 0, [&](int i, int j, int k) {
    for (int n = 0; n < layout.unknowns; ++n) ASSERT_EQ(patch.at(n, i, j, k), state[n]);
  });
  EXPECT_TRUE(status.admissible);
  EXPECT_EQ(status.first_order, 0);
}

TEST_P(PatchKernels, UpdateEqualsTheRecordedFluxes) {
  Patch patch = random_patch(2);
  const Patch old = patch;
  PatchTask task = patch.task(dx);
  std::array<std::vector<double>, 6> fluxes;
  for (int face = 0; face < 2 * dim; ++face) {
    fluxes[face].resize(static_cast<std::size_t>(layout.face_flux_size()));
    task.flux[face] = fluxes[face].data();
  }
  update(task);
  const auto area = layout.face_volumes();
  for (int n = 0; n < layout.unknowns; ++n) {
    double through = 0;
    for (int face = 0; face < 2 * dim; ++face) {
      const double* block = fluxes[face].data() + n * area;
      through += (face % 2 == 0 ? 1 : -1) * std::accumulate(block, block + area, 0.0);
    }
    double change = 0;
    for_volumes(layout, 0, [&](int i, int j, int k) { change += patch.at(n, i, j, k) - old.at(n, i, j, k); });
    EXPECT_NEAR(change, dt / dx * through, 1e-15 * static_cast<double>(layout.volumes()) + 1e-13);
  }
}

// Two adjacent patches compute bitwise equal fluxes through their common face, along every axis.
TEST_P(PatchKernels, NeighboursComputeEqualFluxes) {
  for (int axis = 0; axis < dim; ++axis) {
    // A strip of random volumes, of which each patch takes a part.
    PatchLayout wide(dim, 2 * p, layout.h, layout.unknowns);
    Patch strip(wide), low(layout), high(layout);
    fill_random_gas(strip, 3, parameters.gamma, 3);
    for_volumes(layout, layout.h, [&](int i, int j, int k) {
      if (axes_outside(layout, i, j, k) > reach) return;
      std::array<int, 3> v{i, j, k};
      for (int n = 0; n < layout.unknowns; ++n) low.at(n, i, j, k) = strip.at(n, v[0], v[1], v[2]);
      v[static_cast<std::size_t>(axis)] += p;
      for (int n = 0; n < layout.unknowns; ++n) high.at(n, i, j, k) = strip.at(n, v[0], v[1], v[2]);
    });
    std::vector<double> upper(static_cast<std::size_t>(layout.face_flux_size())), lower(upper);
    PatchTask low_task = low.task(dx), high_task = high.task(dx);
    low_task.flux[2 * axis + 1] = upper.data();
    high_task.flux[2 * axis] = lower.data();
    update(low_task);
    update(high_task);
    EXPECT_EQ(upper, lower) << "axis " << axis;
  }
}

TEST_P(PatchKernels, MirroredPatchHasTheMirroredResult) {
  for (int axis = 0; axis < dim; ++axis) {
    std::vector<double> signs(static_cast<std::size_t>(layout.unknowns));
    solver->reflection_signs(axis, signs);
    const auto mirror = [&](const Patch& from, Patch& to, int around) {
      for_volumes(layout, around, [&](int i, int j, int k) {
        std::array<int, 3> v{i, j, k};
        v[static_cast<std::size_t>(axis)] = p - 1 - v[static_cast<std::size_t>(axis)];
        for (int n = 0; n < layout.unknowns; ++n) {
          to.at(n, v[0], v[1], v[2]) = signs[static_cast<std::size_t>(n)] * from.at(n, i, j, k);
        }
      });
    };
    Patch patch = random_patch(4), mirrored(layout), back(layout);
    mirror(patch, mirrored, layout.h);
    const PatchStatus a = update(patch.task(dx)), b = update(mirrored.task(dx));
    mirror(mirrored, back, 0);
    for_volumes(layout, 0,
                [&](int i, int j, int k) { ASSERT_EQ(patch.volume(i, j, k), back.volume(i, j, k)); });
    EXPECT_EQ(a.first_order, b.first_order);
    EXPECT_EQ(a.max_rate, b.max_rate);
  }
}

TEST_P(PatchKernels, ExchangedAxesExchangeTheResult) {
  const auto exchange = [&](const Patch& from, Patch& to, int around) {
    for_volumes(layout, around, [&](int i, int j, int k) {
      for (int n = 0; n < layout.unknowns; ++n) {
        const int swapped = n == 1 ? dim : n == dim ? 1 : n;
        if (dim == 2) {
          to.at(swapped, j, i) = from.at(n, i, j);
        } else {
          to.at(swapped, k, j, i) = from.at(n, i, j, k);
        }
      }
    });
  };
  Patch patch = random_patch(5), exchanged(layout), back(layout);
  exchange(patch, exchanged, layout.h);
  update(patch.task(dx));
  update(exchanged.task(dx));
  exchange(exchanged, back, 0);
  for_volumes(layout, 0, [&](int i, int j, int k) {
    for (int n = 0; n < layout.unknowns; ++n) ASSERT_NEAR(patch.at(n, i, j, k), back.at(n, i, j, k), 1e-13);
  });
}

TEST_P(PatchKernels, OneInadmissibleVolumeAnywhereIsDetected) {
  if (p > 5) return;  // every position times every unknown
  for_volumes(layout, 0, [&](int i, int j, int k) {
    for (int n = 0; n < layout.unknowns; ++n) {
      Patch patch = random_patch(6);
      patch.at(n, i, j, k) = std::nan("");
      ASSERT_FALSE(solver->inspect(patch.task(dx), layout).admissible);
      ASSERT_FALSE(update(patch.task(dx)).admissible);
    }
    Patch negative = random_patch(6);
    negative.at(0, i, j, k) = -1;
    ASSERT_FALSE(solver->inspect(negative.task(dx), layout).admissible);
    negative = random_patch(6);
    negative.at(dim + 1, i, j, k) = 0;
    ASSERT_FALSE(solver->inspect(negative.task(dx), layout).admissible);
  });
}

TEST_P(PatchKernels, StatusIsIndependentOfTheHalo) {
  const Patch patch = random_patch(7);  // the corners of its halo are NaN
  const PatchStatus before = solver->inspect(patch.task(dx), layout);
  EXPECT_TRUE(before.admissible);
  const PatchStatus after = update(patch.task(dx)), again = solver->inspect(patch.task(dx), layout);
  EXPECT_TRUE(after.admissible);
  EXPECT_EQ(after.max_rate, again.max_rate);
  double fastest = 0;
  for_volumes(layout, 0, [&](int i, int j, int k) {
    const auto q = patch.volume(i, j, k);
    EXPECT_TRUE(solver->admissible(q.data()));
    double kinetic = 0, rate = 0;
    for (int a = 0; a < dim; ++a) {
      kinetic += 0.5 * q[1 + a] * q[1 + a] / q[0];
      rate += std::abs(q[1 + a] / q[0]);
    }
    const double pressure = (parameters.gamma - 1) * (q[1 + dim] - kinetic);
    fastest = std::max(fastest, rate + dim * std::sqrt(parameters.gamma * pressure / q[0]));
  });
  EXPECT_NEAR(after.max_rate, fastest, 1e-13 * fastest);
}

TEST_P(PatchKernels, BatchEqualsSinglePatchesAndAllocatesNothing) {
  const double widths[3] = {0.1, 0.3, 0.9};
  std::vector<Patch> together, alone;
  std::vector<PatchTask> tasks;
  for (unsigned i = 0; i < 3; ++i) {
    together.push_back(random_patch(10 + i));
    alone.push_back(together.back());
  }
  for (std::size_t i = 0; i < 3; ++i) tasks.push_back(together[i].task(widths[i]));
  std::vector<PatchStatus> status(3);
  std::vector<PatchStatus> expected;
  for (std::size_t i = 0; i < 3; ++i) expected.push_back(update(alone[i].task(widths[i])));
  const long before = allocations();
  solver->update(tasks, layout, 0, 0.0, dt, status);
  EXPECT_EQ(allocations(), before);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(status[i].max_rate, expected[i].max_rate);
    for_volumes(layout, 0, [&](int a, int b, int c) {
      ASSERT_EQ(together[i].volume(a, b, c), alone[i].volume(a, b, c));
    });
  }
}

TEST_P(PatchKernels, RaisesToTheFloorsAndCounts) {
  Patch free = random_patch(9), floored = free;
  update(free.task(dx));
  parameters.density_floor = 0.4;
  parameters.pressure_floor = 0.5;
  solver = euler::make_solver(dim, parameters, scheme);
  const PatchStatus status = update(floored.task(dx));
  std::int64_t below = 0;
  const auto pressure = [&](const std::vector<double>& q) {
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) kinetic += 0.5 * q[1 + a] * q[1 + a] / q[0];
    return (parameters.gamma - 1) * (q[1 + dim] - kinetic);
  };
  for_volumes(layout, 0, [&](int i, int j, int k) {
    auto q = free.volume(i, j, k);
    const bool thin = q[0] < 0.4;
    if (thin) q[0] = 0.4;
    const bool low = thin || pressure(q) < 0.5;
    below += low ? 1 : 0;
    const auto now = floored.volume(i, j, k);
    ASSERT_GE(now[0], 0.4);
    ASSERT_GE(pressure(now), 0.5 - 1e-14);
    if (!low) {
      ASSERT_EQ(now, q);
    }
  });
  EXPECT_EQ(status.floored, below);
  EXPECT_GT(below, 0);
}

// Half a kick of all volumes of the slot, the update without gravity, and half a kick: to the bit, or to the rounding of
// a scheme that kicks velocities, not momenta.
template <int D>
void expect_split(const Patch& pulled, Patch& free, const euler::Terms<D>& terms,
                  const euler::Gravity& gravity, double dx, double dt, double tolerance,
                  const std::function<void()>& update_free) {
  const euler::Kick<D> halves = terms.split_source(gravity, dt);
  double largest = 0;
  const auto kick = [&](int i, int j, int k, bool before) {
    const double x[3] = {std::fma(i + 0.5, dx, 0), std::fma(j + 0.5, dx, 0), std::fma(k + 0.5, dx, 0)};
    const std::vector<double> q = free.volume(i, j, k);
    std::vector<double> now = q;
    double kinetic = 0, kinetic_after = 0, acceleration[D], pull[2];
    const auto field = [](int) { return std::nan(""); };  // not read
    halves.at(x, true, field, acceleration, pull);
    before ? halves.before(now.data(), acceleration) : halves.after(now.data(), x, field, pull);
    for (int n = 0; n < D + 2; ++n) free.at(n, i, j, k) = now[static_cast<std::size_t>(n)];
    if (axes_outside(free.layout, i, j, k) > 0) return;
    for (std::size_t a = 1; a <= D; ++a) {
      kinetic += 0.5 * q[a] * q[a] / q[0];
      kinetic_after += 0.5 * now[a] * now[a] / now[0];
      largest = std::max(largest, std::abs(now[a] - q[a]));
    }
    ASSERT_EQ(now[0], q[0]);
    ASSERT_NEAR(now[D + 1] - kinetic_after, q[D + 1] - kinetic, 1e-14) << "the internal energy";
  };
  const PatchLayout& layout = free.layout;
  for_volumes(layout, layout.h, [&](int i, int j, int k) { kick(i, j, k, true); });
  update_free();
  for_volumes(layout, 0, [&](int i, int j, int k) { kick(i, j, k, false); });
  for_volumes(layout, 0, [&](int i, int j, int k) {
    for (int n = 0; n < D + 2; ++n) ASSERT_NEAR(pulled.at(n, i, j, k), free.at(n, i, j, k), tolerance);
  });
  EXPECT_GT(largest, 1e-4);
}

TEST_P(PatchKernels, GravityIsSplitAboutTheFluxes) {
  Patch free = random_patch(8), pulled = free;
  auto& of_solver = *static_cast<euler::Gravity*>(solver->step_data());
  of_solver = gravity();
  update(pulled.task(dx));
  of_solver = {};
  const auto update_free = [&] { update(free.task(dx)); };
  const double tolerance = scheme.scheme == "muscl" ? 1e-14 : 0;
  dim == 2
      ? expect_split<2>(pulled, free, euler::Terms<2>(parameters), gravity(), dx, dt, tolerance, update_free)
      : expect_split<3>(pulled, free, euler::Terms<3>(parameters), gravity(), dx, dt, tolerance, update_free);
}

}  // namespace
}  // namespace meander::solvers::test
