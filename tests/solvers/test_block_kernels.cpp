// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels, run by blocks of one thread on the host, are bitwise equal to the CPU kernels.

#include <gtest/gtest.h>

#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/euler_batch.hpp"

namespace meander::solvers::test {
namespace {

class EulerBlockKernels : public testing::TestWithParam<EulerCase> {};

TEST_P(EulerBlockKernels, AreBitwiseEqualToTheCpu) {
  const auto solver = make(GetParam());
  ASSERT_TRUE(solver->runs_on("host"));
  Batch expected = random_batch(*solver, GetParam().p, 7), found = random_batch(*solver, GetParam().p, 7);
  const double dt = 1e-3, t = 0.3;
  expected.update(0, t, dt);
  solver->launch(HostExecution(), found.launch(0, t, dt));
  found.finish();
  found.expect_same_bits(expected);
  std::int64_t floored = 0, first_order = 0;
  for (const PatchStatus& status : found.status) {
    floored += status.floored;
    first_order += status.first_order;
  }
  if (GetParam().p < 5) return;  // too few volumes for every case to occur
  // Next to fast volumes entropies become negative, and every limiter falls back to first order.
  if (GetParam().dual_energy) return;
  EXPECT_EQ(floored > 0, GetParam().floors);
  const SchemeWords& scheme = GetParam().scheme;
  if (scheme.scheme == "godunov") {
    EXPECT_EQ(first_order, 0);
  } else if (scheme.limiter == "mc") {
    EXPECT_GT(first_order, 0);
  }
}

std::string name_of(const testing::TestParamInfo<EulerCase>& one) {
  return one.param.name();
}
INSTANTIATE_TEST_SUITE_P(Quick, EulerBlockKernels, testing::ValuesIn(euler_cases({4, 6, 7, 9})), name_of);
INSTANTIATE_TEST_SUITE_P(Solvers, EulerBlockKernels,
                         testing::ValuesIn(euler_cases({1, 3, 5, 8, 11, 12, 17, 19})), name_of);
INSTANTIATE_TEST_SUITE_P(DualEnergyQuick, EulerBlockKernels, testing::ValuesIn(euler_cases({4}, true)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(DualEnergy, EulerBlockKernels, testing::ValuesIn(euler_cases({1, 7, 9}, true)),
                         name_of);

TEST(EulerBlocksQuick, ReportAnInadmissibleVolume) {
  for (const EulerCase& one : euler_cases({6})) {
    if (one.floors) continue;
    const auto solver = make(one);
    Batch expected = random_batch(*solver, one.p, 3);
    expected.slots[1].at(1 + one.dim, 2, 3, 1) = -7;  // energy
    expected.slots[2].at(0, 5, 0, 4) = std::numeric_limits<double>::quiet_NaN();
    Batch found = expected;
    expected.update(0, 0.0, 1e-5);
    solver->launch(HostExecution(), found.launch(0, 0.0, 1e-5));
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(expected.status[n].admissible, n == 0) << one.name();
      EXPECT_EQ(found.status[n].admissible, n == 0) << one.name();
    }
  }
}

TEST(Ccz4BlockKernelsQuick, AreBitwiseEqualToTheCpuInEveryStage) {
  for (const auto scheme : {ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order}) {
    for (const bool simple : {false, true}) {
      const auto solver = make_ccz4(scheme, simple);
      ASSERT_TRUE(solver->runs_on("host"));
      for (const int p : {3, 4, 5}) {
        Batch expected = random_spacetimes(*solver, p, 4), found = expected;
        std::int64_t floored = 0, strayed = 0;
        for (int stage = 0; stage < solver->traits().stages; ++stage) {
          SCOPED_TRACE(testing::Message() << solver->traits().name << ", p " << p << ", stage " << stage);
          expected.update(stage, 0.0, 1e-5);
          solver->launch(HostExecution(), found.launch(stage, 0.0, 1e-5));
          found.finish();
          found.expect_same_bits(expected);
          found.slots = expected.slots;  // stale halos differ
          for (const PatchStatus& status : found.status) {
            EXPECT_TRUE(status.admissible);
            floored += status.floored;
            strayed += status.strayed;
          }
        }
        EXPECT_EQ(floored > 0, !simple);
        EXPECT_GT(strayed, 0);
      }
    }
  }
}

}  // namespace
}  // namespace meander::solvers::test
