// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// As test_block_sizes.cpp, for CCZ4.

#include <gtest/gtest.h>

#include "solvers/block_fused.hpp"
#include "solvers/block_serial.hpp"
#include "tests/solvers/ccz4_batch.hpp"

namespace meander::solvers::test {
namespace {

TEST(Ccz4BlockSizes, KnownToTheCompilerChangeNoBit) {
  using ccz4::Terms;
  constexpr int p = 5;
  for (const auto scheme : {ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order}) {
    const auto solver = make_ccz4(scheme, false);
    const Terms terms{*static_cast<const ccz4::Parameters*>(solver->parameters())};
    for (const int count : {1, 4}) {  // patch 0 is not radiative, the others are
      Batch expected = random_spacetimes(*solver, p, count), found = expected;
      for (int stage = 0; stage < solver->traits().stages; ++stage) {
        SCOPED_TRACE(testing::Message() << solver->traits().name << ", stage " << stage);
        expected.update(stage, 0.0, 1e-5);
        const DeviceBatch batch = found.launch(stage, 0.0, 1e-5);
        if (scheme == ccz4::Scheme::rusanov) {
          update_serially<BlockRusanovFused<Terms, p>>(terms, batch);
        } else if (batch.radiates) {
          update_serially<BlockFourthOrder<Terms, true, p>>(terms, batch);
        } else {
          update_serially<BlockFourthOrder<Terms, false, p>>(terms, batch);
        }
        found.finish();
        found.expect_same_bits(expected);
        found.slots = expected.slots;  // stale halos differ
      }
    }
  }
}

}  // namespace
}  // namespace meander::solvers::test
