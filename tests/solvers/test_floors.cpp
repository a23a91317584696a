// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Floors enforced outside an update, on states with too small density or pressure after a flux correction or
// a prolongation.

#include <gtest/gtest.h>

#include <vector>

#include "physics/euler/solver.hpp"

namespace meander::euler {
namespace {

class Floors : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Floors, testing::Values(2, 3));

TEST_P(Floors, RaiseOnlyStatesBelowThem) {
  const int dim = GetParam();
  Parameters parameters;
  parameters.density_floor = 1e-3;
  parameters.pressure_floor = 1e-4;
  const auto solver = make_solver(dim, parameters);
  const PatchLayout layout(dim, 5, solver->traits().halo, dim + 2);
  std::vector<double> slot(static_cast<std::size_t>(layout.slot_size()), 0.0);
  PatchTask task;
  task.q = slot.data();
  task.dx = 1;
  const int last = dim == 3 ? 5 : 1;
  for (int k = 0; k < last; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 5; ++i) {
        slot[static_cast<std::size_t>(layout.at(0, i, j, k))] = 1;
        slot[static_cast<std::size_t>(layout.at(1, i, j, k))] = 2;
        slot[static_cast<std::size_t>(layout.at(dim + 1, i, j, k))] = 3;
      }
    }
  }
  EXPECT_EQ(solver->enforce_floors(task, layout).floored, 0);
  const auto untouched = slot;

  // The kinetic energy is 2: negative pressure here; ordinary pressure but no density there.
  slot[static_cast<std::size_t>(layout.at(dim + 1, 1, 2, 0))] = 1.9;
  slot[static_cast<std::size_t>(layout.at(0, 4, 0, last - 1))] = 1e-5;
  slot[static_cast<std::size_t>(layout.at(1, 4, 0, last - 1))] = 0;
  EXPECT_FALSE(solver->inspect(task, layout).admissible);
  const PatchStatus status = solver->enforce_floors(task, layout);
  EXPECT_EQ(status.floored, 2);
  EXPECT_TRUE(status.admissible);
  EXPECT_NEAR(slot[static_cast<std::size_t>(layout.at(dim + 1, 1, 2, 0))], 2 + 1e-4 / 0.4, 1e-12);
  EXPECT_EQ(slot[static_cast<std::size_t>(layout.at(0, 4, 0, last - 1))], 1e-3);
  std::size_t changed = 0;
  for (std::size_t n = 0; n < slot.size(); ++n) changed += slot[n] != untouched[n];
  EXPECT_EQ(changed, 3u);
}

// Volumes of the halo are no state. p + h is not a multiple of the lanes of a pack.
TEST_P(Floors, LeaveTheHaloAsItIs) {
  const int dim = GetParam();
  Parameters parameters;
  parameters.density_floor = 2;
  parameters.pressure_floor = 2;
  parameters.dual_energy = true;
  const auto solver = make_solver(dim, parameters, {.scheme = "muscl"});
  for (const int p : {3, 7, 9}) {
    const PatchLayout layout(dim, p, solver->traits().halo, dim + 3);
    std::vector<double> slot(static_cast<std::size_t>(layout.slot_size()), 1.0);
    PatchTask task;
    task.q = slot.data();
    const PatchStatus status = solver->enforce_floors(task, layout);
    EXPECT_TRUE(status.admissible);
    EXPECT_EQ(status.floored, layout.volumes());
    std::size_t raised = 0;
    for (int n = 0; n < layout.unknown_stride(); ++n) raised += slot[static_cast<std::size_t>(n)] == 2;
    EXPECT_EQ(raised, static_cast<std::size_t>(layout.volumes()));
  }
}

TEST_P(Floors, AreOffByDefault) {
  const int dim = GetParam();
  const auto solver = make_solver(dim, Parameters{});
  const PatchLayout layout(dim, 3, solver->traits().halo, dim + 2);
  std::vector<double> slot(static_cast<std::size_t>(layout.slot_size()), -1.0);
  PatchTask task;
  task.q = slot.data();
  const auto before = slot;
  const PatchStatus status = solver->enforce_floors(task, layout);
  EXPECT_EQ(status.floored, 0);
  EXPECT_FALSE(status.admissible);
  EXPECT_EQ(slot, before);
}

}  // namespace
}  // namespace meander::euler
