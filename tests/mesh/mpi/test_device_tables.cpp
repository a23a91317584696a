// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages, received halos and received fluxes of a tree on several ranks by the kernels on resident patches:
// bitwise equal to the host's, in any order of the threads of a block.

#include <gtest/gtest.h>

#include "tests/mesh/device_tree.hpp"
#include "tests/solvers/adversarial_block.hpp"

namespace meander::mesh::test {
namespace {

using solvers::test::AdversarialLauncher;
using solvers::test::schedules;

template <int D, class Launcher>
void expect_same_bits(DeviceTree<D>& tree, const Launcher& launcher) {
  EXPECT_TRUE(tree.equals_host(tree.filled(launcher)));
  tree.expect_same_message(launcher);
}

template <int D, class Launcher>
void expect_same_correction(DeviceTree<D>& tree, const Launcher& launcher) {
  std::vector<solvers::PatchStatus> status;
  EXPECT_TRUE(tree.equals_host(tree.corrected(launcher, status)));
  EXPECT_TRUE(tree.equals_host(status));
  tree.expect_same_flux_message(launcher);
}

template <int D>
void check(const TreeCase& c) {
  SCOPED_TRACE(c.name());
  const parallel::Communicator world = parallel::Communicator::world();
  DeviceTree<D> tree(c, 3, world);
  EXPECT_EQ(world.any(tree.sends()), world.size() > 1);
  tree.fill_on_host();
  expect_same_bits(tree, solvers::SerialLauncher{});
  for (const auto& schedule : schedules()) expect_same_bits(tree, AdversarialLauncher{schedule});
  tree.correct_on_host();
  expect_same_correction(tree, solvers::SerialLauncher{});
  for (const auto& schedule : schedules()) expect_same_correction(tree, AdversarialLauncher{schedule});
}

template <int D>
void check_plan(const TreeCase& c) {
  SCOPED_TRACE(c.name());
  const parallel::Communicator world = parallel::Communicator::world();
  DeviceTree<D> tree(c, 5, world);
  EXPECT_EQ(world.any(tree.sends()), world.size() > 1);
  for (const int threads : {2, 3, 16}) tree.expect_same_plan(c, threads);
}

TEST(DeviceTablesOnRanks, PlansDoNotDependOnThreads) {
  for (const TreeCase& c : tree_cases()) c.dim == 2 ? check_plan<2>(c) : check_plan<3>(c);
}

TEST(DeviceTablesOnRanksLong, ExchangeBitwiseAsTheHost) {
  for (const TreeCase& c : tree_cases()) c.dim == 2 ? check<2>(c) : check<3>(c);
}

}  // namespace
}  // namespace meander::mesh::test
