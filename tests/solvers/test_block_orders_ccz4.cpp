// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of CCZ4 by blocks of several threads: for every order of the threads between barriers they
// are bitwise equal to the CPU kernels.

#include <gtest/gtest.h>

#include "solvers/block_fused.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/same_results.hpp"

namespace meander::solvers::test {
namespace {

ccz4::Terms terms(const Solver& solver) {
  return {*static_cast<const ccz4::Parameters*>(solver.parameters())};
}

Barriers update(const Solver& solver, Batch& batch, int stage, const Schedule& schedule) {
  const DeviceBatch launch = batch.launch(stage, 0.0, 1e-5);
  Barriers barriers;
  if (solver.traits().stages == 1) {
    barriers = update_adversarially<BlockRusanovFused<ccz4::Terms>>(terms(solver), launch, schedule);
  } else {
    with_fourth_order<ccz4::Terms, std::integer_sequence<int>>(
        launch, [&]<class Kernel>(std::type_identity<Kernel>) {
          barriers = update_adversarially<Kernel>(terms(solver), launch, schedule);
        });
  }
  batch.finish();
  return barriers;
}

class Ccz4BlockOrders : public testing::TestWithParam<ccz4::Scheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, Ccz4BlockOrders,
                         testing::Values(ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order));

TEST_P(Ccz4BlockOrders, ChangeNoBitOfAStage) {
  const auto solver = make_ccz4(GetParam(), false);
  for (const int p : {3, 4, 6}) {
    for (const int count : {1, 4}) {  // patch 0 is not radiative, the others are
      const Batch initial = random_spacetimes(*solver, p, count);
      std::vector<Batch> found(schedules().size(), initial);
      Batch expected = initial;
      for (int stage = 0; stage < solver->traits().stages; ++stage) {
        expected.update(stage, 0.0, 1e-5);
        for (std::size_t n = 0; n < found.size(); ++n) {
          SCOPED_TRACE(testing::Message() << "p " << p << ", stage " << stage << ", schedule " << n);
          update(*solver, found[n], stage, schedules()[n]);
          found[n].expect_same_bits(expected);
          found[n].slots = expected.slots;  // stale halos differ
        }
      }
    }
  }
}

// Barriers between groups of unknowns only keep the threads of a block together: no group reads what another
// one writes. The first barrier of the first-order scheme and the last one of both schemes are necessary.
TEST_P(Ccz4BlockOrders, ShowWhichBarriersAreNecessary) {
  const auto solver = make_ccz4(GetParam(), false);
  const Batch initial = random_spacetimes(*solver, 3, 2);
  Batch expected = initial;
  const Barriers barriers = update(*solver, expected, 0, {});
  const auto is_noticed = [&](std::size_t dropped) {
    for (const Schedule& schedule : schedules(static_cast<int>(dropped))) {
      Batch found = initial;
      update(*solver, found, 0, schedule);
      if (!have_same_results(found, expected)) return true;
    }
    return false;
  };
  ASSERT_GT(barriers.size(), 1u);
  EXPECT_TRUE(is_noticed(barriers.size() - 1)) << file_and_line(barriers.back());
  if (GetParam() == ccz4::Scheme::rusanov) {
    EXPECT_TRUE(is_noticed(0)) << file_and_line(barriers[0]);
  }
}

}  // namespace
}  // namespace meander::solvers::test
