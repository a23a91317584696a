// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels by blocks of real threads, several blocks at a time, for ThreadSanitizer: no two threads
// access the same data without a barrier, within a block or among the blocks of a launch. Results are bitwise
// those of the host.

#include <gtest/gtest.h>

#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "tests/mesh/device_tree.hpp"
#include "tests/solvers/euler_batch.hpp"
#include "tests/solvers/random_gather.hpp"
#include "tests/solvers/random_levels.hpp"
#include "tests/solvers/random_status.hpp"
#include "tests/solvers/threaded_block.hpp"

namespace meander::tasks {
namespace {

using mesh::test::DeviceTree;
using mesh::test::TreeCase;
using solvers::test::Batch;
using solvers::test::ThreadedLauncher;

template <int D, class Kernel>
void expect_same_update(const solvers::SchemeWords& scheme) {
  const int p = 4;
  const auto solver = solvers::test::make({D, p, scheme, true, true});
  const euler::Terms<D> terms(*static_cast<const euler::Parameters*>(solver->parameters()));
  const Batch initial = solvers::test::random_batch(*solver, p, 4);
  Batch expected = initial;
  expected.update(0, 0.3, 1e-3);
  for (const bool in_place : {false, true}) {
    Batch found = initial;
    found.in_place = in_place;
    solvers::test::update_on_threads<Kernel>(terms, found.launch(0, 0.3, 1e-3));
    found.finish();
    found.expect_same_bits(expected);
  }
}

TEST(BlockThreads, UpdateWithoutRaces) {
  using solvers::BlockGodunov, solvers::BlockMuscl, solvers::RusanovFlux;
  using Limiter = solvers::MonotonizedCentral;
  const solvers::SchemeWords godunov{"godunov", "mc", "rusanov"}, muscl{"muscl", "mc", "rusanov"};
  expect_same_update<2, BlockGodunov<euler::Terms<2>, RusanovFlux, 0>>(godunov);
  expect_same_update<3, BlockGodunov<euler::Terms<3>, RusanovFlux, 0>>(godunov);
  expect_same_update<2, BlockMuscl<euler::Terms<2>, Limiter, RusanovFlux, 0>>(muscl);
  expect_same_update<3, BlockMuscl<euler::Terms<3>, Limiter, RusanovFlux, 0>>(muscl);
}

#if defined(__SANITIZE_THREAD__)
// Updates patches with the n-th barrier left out, and ends the program.
template <class Kernel>
[[noreturn]] void update_without_barrier(const solvers::SchemeWords& scheme, int n) {
  const auto solver = solvers::test::make({2, 4, scheme, false, false});
  const euler::Terms<2> terms(*static_cast<const euler::Parameters*>(solver->parameters()));
  Batch batch = solvers::test::random_batch(*solver, 4, 2);
  solvers::test::update_on_threads<Kernel>(terms, batch.launch(0, 0.3, 1e-3), n);
  std::exit(0);
}

TEST(BlockThreads, ReportEveryBarrierThatIsLeftOut) {
  using Godunov = solvers::BlockGodunov<euler::Terms<2>, solvers::RusanovFlux, 0>;
  using Muscl = solvers::BlockMuscl<euler::Terms<2>, solvers::MonotonizedCentral, solvers::RusanovFlux, 0>;
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const testing::ExitedWithCode reported(66);
  for (int n = 0; n < 2; ++n)
    EXPECT_EXIT(update_without_barrier<Godunov>({"godunov", "mc", "rusanov"}, n), reported, "data race") << n;
  for (int n = 0; n < 3; ++n)
    EXPECT_EXIT(update_without_barrier<Muscl>({"muscl", "mc", "rusanov"}, n), reported, "data race") << n;
}
#endif

template <int D>
void expect_same_tree(const TreeCase& c) {
  SCOPED_TRACE(c.name());
  DeviceTree<D> tree(c, D == 2 ? 2 : 1);
  const ThreadedLauncher launcher;
  tree.fill_on_host();
  EXPECT_TRUE(tree.equals_host(tree.filled(launcher)));
  tree.correct_on_host();
  std::vector<solvers::PatchStatus> status;
  EXPECT_TRUE(tree.equals_host(tree.corrected(launcher, status)));
  EXPECT_TRUE(tree.equals_host(status));
}

TEST(BlockThreads, FillHalosAndCorrectFluxesWithoutRaces) {
  using S = solvers::HaloShape;
  using P = solvers::Prolongation;
  for (const TreeCase& c :
       {TreeCase{2, 6, 2, S::full, P::limited_linear, false}, TreeCase{2, 6, 2, S::full, P::centred, true},
        TreeCase{2, 4, 1, S::faces, P::constant, false}})
    expect_same_tree<2>(c);
  expect_same_tree<3>({3, 4, 1, S::full, P::limited_linear, false});
  expect_same_tree<3>({3, 4, 1, S::full, P::centred, false});
}

template <int D>
void expect_same_operations(int p, int h) {
  using solvers::Prolongation;
  for (const Prolongation prolongation :
       {Prolongation::constant, Prolongation::limited_linear, Prolongation::centred}) {
    const solvers::test::GasSolver solver(D, h, solvers::HaloShape::full, prolongation);
    solvers::test::RandomFill<D>(solver, p, 7).expect_same_bits(ThreadedLauncher{});
  }
  const solvers::test::GasSolver cold(D, h, solvers::HaloShape::full, Prolongation::limited_linear, true,
                                      true);
  solvers::test::RandomFill<D, euler::DualEnergyTerms<D>>(cold, p, 7).expect_same_bits(ThreadedLauncher{});
}

TEST(BlockThreads, FillAndPackRandomBoxesWithoutRaces) {
  expect_same_operations<2>(6, 3);
  expect_same_operations<3>(4, 1);
}

TEST(BlockThreads, MergeTheStatusWithoutRaces) {
  const solvers::test::RandomStatus random(1000, 1);
  EXPECT_TRUE(solvers::test::same_bits(random.reduced(ThreadedLauncher{}), random.merged()));
}

TEST(BlockThreads, KeepStatesAndAddFluxesWithoutRaces) {
  const solvers::test::RandomLevels<3> before(5);
  solvers::test::RandomLevels<3> after(5);
  after.run(ThreadedLauncher{});
  after.check(before);
}

TEST(BlockThreads, InspectWithoutRaces) {
  const solvers::test::GasSolver solver(3, 2, solvers::HaloShape::full, solvers::Prolongation::constant);
  const solvers::PatchLayout layout = solvers::test::layout_of(solver, 4);
  std::vector<solvers::test::Patch> expected, found;
  std::vector<solvers::DevicePatch> table(5);
  std::vector<solvers::PatchStatus> status(table.size());
  for (unsigned n = 0; n < table.size(); ++n) {
    expected.push_back(solvers::test::random_slot(layout, n));
    found.push_back(expected.back());
  }
  for (std::size_t n = 0; n < table.size(); ++n) table[n].slot = found[n].q;
  const ThreadedLauncher launcher;
  solvers::InspectBatch inspect;
  inspect.count = static_cast<int>(table.size());
  inspect.patches = table.data();
  inspect.status = status.data();
  inspect.layout = layout;
  inspect.enforces = true;
  launcher(solvers::BlockInspect<euler::Terms<3>>(solvers::test::GasSolver::terms<3>(), inspect),
           inspect.count);
  for (std::size_t n = 0; n < table.size(); ++n) {
    EXPECT_TRUE(solvers::test::same_bits(status[n], solver.enforce_floors(expected[n].task(0.1), layout)));
    EXPECT_TRUE(solvers::test::same_bits(contents(found[n]), contents(expected[n])));
  }
}

TEST(BlockThreads, GatherWithoutRaces) {
  const int list[] = {3, 0, 4};
  const solvers::test::RandomGather gather(4, 2, 5, solvers::PointQuery(list, 2), 200, true);
  EXPECT_TRUE(solvers::test::same_bits(gather.by(ThreadedLauncher{}), gather.by_stencils<true>()));
}

}  // namespace
}  // namespace meander::tasks
