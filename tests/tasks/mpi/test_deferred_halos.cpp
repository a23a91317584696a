// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Halos that a step defers, received or prolonged from ghosts, are filled before they are read: states and completed halos equal those
// of steps that fill all halos.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

struct Case {
  int p;
  std::string scheme;
  bool device;
};

// Gas that flows in and changes with time.
template <int D>
void inflow(int, const double* x, double, double t, double* q) {
  q[0] = 1 + 0.2 * std::sin(40 * t + 3 * x[0]);
  for (int a = 0; a < D; ++a) q[1 + a] = 0.1 * q[0];
  q[D + 1] = 2 + 0.3 * std::cos(60 * t + x[1]);
}

template <int D>
bool interiors_equal(const mesh::PatchMesh<D>& a, const mesh::PatchMesh<D>& b) {
  const auto& layout = a.layout();
  for (std::size_t leaf = 0; leaf < a.size(); ++leaf) {
    for (int u = 0; u < layout.unknowns; ++u) {
      for (int row = 0; row < layout.face_volumes(); ++row) {
        const std::ptrdiff_t at = layout.at(u, 0, row % layout.p, row / layout.p);
        const auto size = static_cast<std::size_t>(layout.p) * sizeof(double);
        if (std::memcmp(a.patches()[leaf].q + at, b.patches()[leaf].q + at, size) != 0) return false;
      }
    }
  }
  return true;
}

template <int D>
void check(const Case& c) {
  SCOPED_TRACE(::testing::Message() << D << "D, p = " << c.p << ", " << c.scheme
                                    << (c.device ? ", device" : ""));
  const auto world = parallel::Communicator::world();
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme});
  ThreadTeam team(2);
  const auto engine = c.device ? engine_of_small_batches() : nullptr;
  const auto filling = nested_mesh<D>(*solver, c.p, mesh::boundary::given, team, world, inflow<D>);
  const auto deferring = nested_mesh<D>(*solver, c.p, mesh::boundary::given, team, world, inflow<D>);
  Step<D> expected(*filling, *solver, team), found(*deferring, *solver, team, engine.get());
  double t = 0;
  for (int step = 0; step < 6; ++step) {
    const double dt = 0.1 / (27 * c.p * D);
    const Halos halos = step == 4 ? Halos::full : Halos::deferred;
    ASSERT_FALSE(expected.advance(t, dt, t + dt).failed);
    ASSERT_FALSE(found.advance(t, dt, t + dt, halos).failed);
    t += dt;
    // All ranks end a test that fails on one.
    ASSERT_FALSE(world.any(!interiors_equal<D>(*filling, *deferring))) << "step " << step;
    const bool defers = world.any(!slots_equal<D>(*filling, *deferring));
    ASSERT_EQ(defers, halos == Halos::deferred && world.size() > 1) << "step " << step;
    if (step % 2 == 0) continue;
    deferring->complete_halos(team);
    ASSERT_FALSE(world.any(!slots_equal<D>(*filling, *deferring))) << "step " << step;
  }
}

TEST(DeferredHalos, ChangeNoBit) {
  for (const bool device : {false, true}) {
    check<2>({4, "godunov", device});
    check<2>({7, "muscl", device});
    check<3>({3, "godunov", device});
    check<3>({6, "muscl", device});
  }
}

// Halves of an action about the fluxes, as fields of gas have them.
template <int D>
void check_changes(int p, const std::string& scheme) {
  SCOPED_TRACE(::testing::Message() << D << "D, p = " << p << ", " << scheme);
  const auto world = parallel::Communicator::world();
  const auto solver = euler::make_solver(D, {}, {.scheme = scheme});
  ThreadTeam team(2);
  const auto filling = nested_mesh<D>(*solver, p, mesh::boundary::given, team, world, inflow<D>);
  const auto changing = nested_mesh<D>(*solver, p, mesh::boundary::given, team, world, inflow<D>);
  Step<D> expected(*filling, *solver, team), found(*changing, *solver, team);
  const auto warm = [](const mesh::PatchMesh<D>& mesh, std::size_t leaf) {
    const auto& layout = mesh.layout();
    for (int row = 0; row < layout.face_volumes(); ++row) {
      for (int x = 0; x < layout.p; ++x)
        mesh.patches()[leaf].q[layout.at(D + 1, x, row % layout.p, row / layout.p)] *= 1.01 + 1e-3 * x;
    }
  };
  double t = 0;
  for (int step = 0; step < 5; ++step) {
    const double dt = 0.1 / (27 * p * D);
    for (std::size_t leaf = 0; leaf < filling->size(); ++leaf) warm(*filling, leaf);
    filling->fill_halos(t, team);
    found.change({[&](std::size_t leaf) { warm(*changing, leaf); }, {}}, t);
    if (step % 2 == 1) {
      changing->complete_halos(team);
      ASSERT_FALSE(world.any(!slots_equal<D>(*filling, *changing))) << "step " << step;
    }
    ASSERT_FALSE(expected.advance(t, dt, t + dt, Halos::none).failed);
    ASSERT_FALSE(found.advance(t, dt, t + dt, Halos::none).failed);
    t += dt;
    ASSERT_FALSE(world.any(!interiors_equal<D>(*filling, *changing))) << "step " << step;
  }
}

TEST(DeferredHalos, FollowChangesOfLeaves) {
  check_changes<2>(4, "godunov");
  check_changes<2>(7, "muscl");
  check_changes<3>(3, "godunov");
  check_changes<3>(6, "muscl");
}

}  // namespace
}  // namespace meander::tasks
