// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The device kernels as target regions of OpenMP give the bits of the CPU kernels, on the initial device of
// builds that offload: threads of the host are then the block's, and barriers what keeps them in step.
#include <gtest/gtest.h>

#include "tests/solvers/euler_batch.hpp"

namespace meander::solvers::test {
namespace {

class OpenMpKernels : public testing::TestWithParam<EulerCase> {
 protected:
  void SetUp() override {
    const std::string reason = gpu::why_missing("openmp");
    if (!reason.empty()) GTEST_SKIP() << reason;
    devices = gpu::make_devices("openmp");
  }
  gpu::Device& device() { return *devices.front(); }
  std::vector<std::unique_ptr<gpu::Device>> devices;
};

TEST_P(OpenMpKernels, GiveTheBitsOfTheCpu) {
  if (device().properties().name != "openmp: host fallback")
    GTEST_SKIP() << "the batch lies in the host's memory, which " << device().properties().name
                 << " does not read";
  const auto solver = make(GetParam());
  ASSERT_TRUE(solver->runs_on("openmp"));
  Batch expected = random_batch(*solver, GetParam().p, 5), found = random_batch(*solver, GetParam().p, 5);
  const double dt = 1e-3, t = 0.3;
  expected.update(0, t, dt);
  const gpu::Queue queue = device().create_queue();
  device().launch(queue, "update", [&](const gpu::Execution& execution) {
    solver->launch(execution, found.launch(0, t, dt));
  });
  device().synchronize(queue);
  device().destroy_queue(queue);
  found.finish();
  found.expect_same_bits(expected);
}

INSTANTIATE_TEST_SUITE_P(Solvers, OpenMpKernels, testing::ValuesIn(euler_cases({1, 3, 5, 9})),
                         [](const auto& one) { return one.param.name(); });

}  // namespace
}  // namespace meander::solvers::test
