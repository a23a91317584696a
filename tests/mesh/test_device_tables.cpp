// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Halos and flux corrections of random trees by the kernels on resident patches: bitwise equal to the host's,
// in any order of the threads of a block.

#include <gtest/gtest.h>

#include "tests/mesh/device_tree.hpp"
#include "tests/solvers/adversarial_block.hpp"

namespace meander::mesh::test {
namespace {

using solvers::test::AdversarialLauncher;
using solvers::test::Barriers;
using solvers::test::Schedule;
using solvers::test::schedules;

class DeviceTables : public ::testing::TestWithParam<TreeCase> {
 protected:
  // Calls check(tree) for random trees of the case.
  template <class Check>
  static void on_trees(const Check& check) {
    if (GetParam().dim == 2) {
      for (const unsigned seed : {1, 2, 3, 4}) {
        DeviceTree<2> tree(GetParam(), seed);
        check(tree);
      }
    } else {
      DeviceTree<3> tree(GetParam(), 1);
      check(tree);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Mesh, DeviceTables, ::testing::ValuesIn(tree_cases()),
                         [](const auto& one) { return one.param.name(); });

TEST_P(DeviceTables, FillHalosBitwiseAsTheHost) {
  on_trees([](auto& tree) {
    EXPECT_GT(std::ranges::max(tree.mesh().levels()), std::ranges::min(tree.mesh().levels()));
    tree.fill_on_host();
    EXPECT_TRUE(tree.equals_host(tree.filled(solvers::SerialLauncher{})));
    for (const Schedule& schedule : schedules()) {
      EXPECT_TRUE(tree.equals_host(tree.filled(AdversarialLauncher{schedule})))
          << "order " << static_cast<int>(schedule.order);
    }
  });
}

TEST_P(DeviceTables, PlansDoNotDependOnThreads) {
  on_trees([](auto& tree) {
    for (const int threads : {2, 3, 16}) tree.expect_same_plan(GetParam(), threads);
  });
}

// No operation reads a stale volume for one that the scheme reads, or the second fill would find another one there.
TEST_P(DeviceTables, FillAllHalosAtOnce) {
  on_trees([](auto& tree) {
    tree.fill_on_host();
    tree.poison_unread_on_host();
    const auto once = tree.on_host();
    tree.fill_on_host_again();
    tree.poison_unread_on_host();
    EXPECT_TRUE(tree.equals_host(once));
  });
}

TEST_P(DeviceTables, CorrectFluxesBitwiseAsTheHost) {
  on_trees([](auto& tree) {
    tree.correct_on_host();
    std::vector<solvers::PatchStatus> status;
    EXPECT_TRUE(tree.equals_host(tree.corrected(solvers::SerialLauncher{}, status)));
    EXPECT_TRUE(tree.equals_host(status));
    for (const Schedule& schedule : schedules()) {
      EXPECT_TRUE(tree.equals_host(tree.corrected(AdversarialLauncher{schedule}, status)))
          << "order " << static_cast<int>(schedule.order);
      EXPECT_TRUE(tree.equals_host(status)) << "order " << static_cast<int>(schedule.order);
    }
  });
}

// Calls is_same(launcher) with each barrier left out in turn, and expects some order to change the result.
// axes: the number of barriers, one an axis.
template <class IsSame>
void expect_barriers_necessary(std::size_t axes, const IsSame& is_same) {
  Barriers barriers;
  AdversarialLauncher complete{};
  complete.barriers = &barriers;
  EXPECT_TRUE(is_same(complete));
  ASSERT_EQ(barriers.size(), axes);
  for (std::size_t n = 0; n < barriers.size(); ++n) {
    bool noticed = false;
    for (const Schedule& schedule : schedules(static_cast<int>(n)))
      noticed = noticed || !is_same(AdversarialLauncher{schedule});
    EXPECT_TRUE(noticed) << "barrier " << n << " of " << barriers.size() << ", "
                         << solvers::test::file_and_line(barriers[n]);
  }
}

template <int D>
void expect_barriers_of_halos_necessary() {
  DeviceTree<D> tree({D, 6, 2, solvers::HaloShape::full, solvers::Prolongation::limited_linear, false}, 1);
  tree.fill_on_host();
  expect_barriers_necessary(D, [&](const auto& launcher) { return tree.equals_host(tree.filled(launcher)); });
}
template <int D>
void expect_barriers_of_fluxes_necessary() {
  // Some leaf has finer neighbours along all axes.
  const unsigned seed = D == 2 ? 2 : 1;
  DeviceTree<D> tree({D, 6, 2, solvers::HaloShape::full, solvers::Prolongation::limited_linear, true}, seed);
  tree.correct_on_host();
  expect_barriers_necessary(D, [&](const auto& launcher) {
    std::vector<solvers::PatchStatus> status;
    return tree.equals_host(tree.corrected(launcher, status)) && tree.equals_host(status);
  });
}

TEST(DeviceTableBarriers, NeedEveryBarrierOfTheFill) {
  expect_barriers_of_halos_necessary<2>();
  expect_barriers_of_halos_necessary<3>();
}

TEST(DeviceTableBarriers, NeedEveryBarrierOfTheFluxCorrection) {
  expect_barriers_of_fluxes_necessary<2>();
  expect_barriers_of_fluxes_necessary<3>();
}

}  // namespace
}  // namespace meander::mesh::test
