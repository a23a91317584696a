// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Leaves that other ranks wait for are updated first where a message takes time; along the curve where it does not.

#include <gtest/gtest.h>

#include <algorithm>

#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/nested_gas.hpp"
#include "tests/tasks/wave_solver.hpp"

namespace meander::tasks {
namespace {

using parallel::Communicator;

template <int D>
std::unique_ptr<mesh::PatchMesh<D>> mesh_of(const solvers::Solver& solver, const Communicator& ranks,
                                            ThreadTeam& team) {
  return nested_mesh<D>(solver, 6, mesh::boundary::periodic, team, ranks);
}

template <int D>
bool is_along_curve(const mesh::PatchMesh<D>& mesh) {
  return mesh.exchange().border() == mesh.size() && std::ranges::is_sorted(mesh.exchange().order());
}

template <int D>
void expect_border_first(const mesh::PatchMesh<D>& mesh) {
  const mesh::StepExchange<D>& exchange = mesh.exchange();
  for (std::size_t index = 0; index < mesh.size(); ++index) {
    const auto leaf = static_cast<std::size_t>(exchange.order()[index]);
    EXPECT_EQ(exchange.halos().plan().is_border(leaf), index < exchange.border());
  }
}

template <int D>
void expect_next_in_order(const mesh::PatchMesh<D>& mesh) {
  const auto order = mesh.exchange().order();
  for (std::size_t index = 0; index < mesh.size(); ++index) {
    const auto& patch = mesh.patches()[static_cast<std::size_t>(order[index])];
    const double* const next =
        index + 1 < mesh.size() ? mesh.patches()[static_cast<std::size_t>(order[index + 1])].q : nullptr;
    EXPECT_EQ(patch.next, next);
  }
}

template <int D>
void check() {
  const Communicator world = Communicator::world(), in_place = world.with_windows();
  if (world.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  ThreadTeam team(2);
  const auto gas = euler::make_solver(D, {}, {.scheme = "muscl"});
  expect_border_first<D>(*mesh_of<D>(*gas, world, team));
  if (!world.any(!in_place.has_windows_to_some())) {
    const auto mesh = mesh_of<D>(*gas, in_place, team);
    EXPECT_TRUE(is_along_curve<D>(*mesh));
    expect_next_in_order<D>(*mesh);
    // Devices take the leaves for which nobody waits.
    const auto engine = engine_of_small_batches();
    const Step<D> step(*mesh, *gas, team, engine.get());
    expect_border_first<D>(*mesh);
    expect_next_in_order<D>(*mesh);
    // Stages are not separated by reductions.
    expect_border_first<D>(*mesh_of<D>(WaveSolver<D>(), in_place, team));
  }
  // Every rank has neighbours of both kinds.
  const Communicator some = world.with_windows(world.rank() % 2);
  const auto mesh = mesh_of<D>(*gas, some, team);
  const bool is_beside_others =
      std::ranges::any_of(mesh->exchange().halos().plan().peers(),
                          [&](const auto& peer) { return !some.has_window_to(peer.rank); });
  EXPECT_TRUE(is_beside_others);
  expect_border_first<D>(*mesh);
}

TEST(UpdateOrder, IsThatOfTheCurveWhereNeighboursReadInPlaceIn2D) {
  check<2>();
}
TEST(UpdateOrder, IsThatOfTheCurveWhereNeighboursReadInPlaceIn3D) {
  check<3>();
}

// States, and halos after them, on two threads.
template <int D>
void check_bits(const std::string& scheme) {
  SCOPED_TRACE(::testing::Message() << D << "D, " << scheme);
  const Communicator world = Communicator::world();
  ThreadTeam team(2);
  const auto gas = euler::make_solver(D, {}, {.scheme = scheme});
  const auto first = mesh_of<D>(*gas, world, team), along = mesh_of<D>(*gas, world.with_windows(), team);
  Step<D> expected(*first, *gas, team), found(*along, *gas, team);
  double t = 0;
  for (int step = 0; step < 6; ++step) {
    const double dt = 0.1 / (27 * 6 * D);
    const Halos halos = step % 2 == 0 ? Halos::deferred : Halos::full;
    ASSERT_FALSE(expected.advance(t, dt, t + dt).failed);
    ASSERT_FALSE(found.advance(t, dt, t + dt, halos).failed);
    t += dt;
    if (halos != Halos::full) continue;
    ASSERT_FALSE(world.any(!slots_equal<D>(*first, *along))) << "step " << step;
  }
}

TEST(UpdateOrder, ChangesNoBit) {
  check_bits<2>("godunov");
  check_bits<2>("muscl");
  check_bits<3>("godunov");
  check_bits<3>("muscl");
}

}  // namespace
}  // namespace meander::tasks
