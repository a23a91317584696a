// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of CCZ4 by blocks of real threads, for ThreadSanitizer.

#include <gtest/gtest.h>

#include "solvers/block_fused.hpp"
#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/threaded_block.hpp"

namespace meander::tasks {
namespace {

using solvers::test::Batch;

TEST(Ccz4BlockThreads, UpdateWithoutRaces) {
  for (const auto scheme : {ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order}) {
    const auto solver = solvers::test::make_ccz4(scheme, false);
    const ccz4::Terms terms{*static_cast<const ccz4::Parameters*>(solver->parameters())};
    Batch expected = solvers::test::random_spacetimes(*solver, 3, 4), found = expected;
    for (int stage = 0; stage < solver->traits().stages; ++stage) {
      expected.update(stage, 0.0, 1e-5);
      const solvers::DeviceBatch batch = found.launch(stage, 0.0, 1e-5);
      if (scheme == ccz4::Scheme::rusanov) {
        solvers::test::update_on_threads<solvers::BlockRusanovFused<ccz4::Terms>>(terms, batch);
      } else {
        solvers::with_fourth_order<ccz4::Terms, std::integer_sequence<int>>(
            batch, [&]<class Kernel>(std::type_identity<Kernel>) {
              solvers::test::update_on_threads<Kernel>(terms, batch);
            });
      }
      found.finish();
      found.expect_same_bits(expected);
      found.slots = expected.slots;  // stale halos differ
    }
  }
}

}  // namespace
}  // namespace meander::tasks
