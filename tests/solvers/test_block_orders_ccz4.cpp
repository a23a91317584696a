// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of CCZ4 by blocks of several threads: for every order of the threads between barriers they
// are bitwise equal to the CPU kernels, and every barrier, one between two phases, is necessary for that.

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
      std::vector<Batch> found(2 * schedules().size(), initial);
      for (std::size_t n = 0; n < found.size(); ++n) found[n].in_place = n % 2 == 1;
      Batch expected = initial;
      for (int stage = 0; stage < solver->traits().stages; ++stage) {
        expected.update(stage, 0.0, 1e-5);
        for (std::size_t n = 0; n < found.size(); ++n) {
          SCOPED_TRACE(testing::Message() << "p " << p << ", stage " << stage << ", schedule " << n);
          update(*solver, found[n], stage, schedules()[n / 2]);
          found[n].expect_same_bits(expected);
          found[n].slots = expected.slots;  // stale halos differ
        }
      }
    }
  }
}

TEST_P(Ccz4BlockOrders, ShowThatEveryBarrierIsNecessary) {
  const auto solver = make_ccz4(GetParam(), false);
  const Batch initial = random_spacetimes(*solver, 3, 2);
  Batch expected = initial;
  const Barriers barriers = update(*solver, expected, 0, {});
  EXPECT_EQ(static_cast<int>(barriers.size()), solver->kernels_of_launch().count - 1);
  for (std::size_t n = 0; n < barriers.size(); ++n) {
    bool noticed = false;
    for (const Schedule& schedule : schedules(static_cast<int>(n))) {
      Batch found = initial;
      update(*solver, found, 0, schedule);
      noticed = noticed || !have_same_results(found, expected);
    }
    EXPECT_TRUE(noticed) << file_and_line(barriers[n]);
  }
}

}  // namespace
}  // namespace meander::solvers::test
