// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The device kernels as target regions of OpenMP give the bits of the CPU kernels, on the initial device of
// builds that offload: threads of the host are then the block's, and barriers what keeps them in step.
#include <gtest/gtest.h>

#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/euler_batch.hpp"

namespace meander::solvers::test {
namespace {

// Skips where the device does not read the host's memory, in which batches of these tests lie.
class OpenMpDevice : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = gpu::why_missing("openmp");
    if (!reason.empty()) GTEST_SKIP() << reason;
    devices = gpu::make_devices("openmp");
    if (devices.front()->properties().name != "openmp: host fallback")
      GTEST_SKIP() << devices.front()->properties().name << " does not read the host's memory";
  }
  void expect_bits_of_cpu(const Solver& solver, Batch& expected, Batch& found, int stage, double t,
                          double dt) {
    ASSERT_TRUE(solver.runs_on("openmp"));
    expected.update(stage, t, dt);
    gpu::Device& device = *devices.front();
    const gpu::Queue queue = device.create_queue();
    device.launch(queue, "update", [&](const gpu::Execution& execution) {
      solver.launch(execution, found.launch(stage, t, dt));
    });
    device.synchronize(queue);
    device.destroy_queue(queue);
    found.finish();
    found.expect_same_bits(expected);
  }
  std::vector<std::unique_ptr<gpu::Device>> devices;
};

class OpenMpKernels : public OpenMpDevice, public testing::WithParamInterface<EulerCase> {};

TEST_P(OpenMpKernels, GiveTheBitsOfTheCpu) {
  const auto solver = make(GetParam());
  Batch expected = random_batch(*solver, GetParam().p, 5), found = expected;
  expect_bits_of_cpu(*solver, expected, found, 0, 0.3, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Solvers, OpenMpKernels, testing::ValuesIn(euler_cases({1, 3, 5, 9})),
                         [](const auto& one) { return one.param.name(); });

using Ccz4OpenMpKernels = OpenMpDevice;

TEST_F(Ccz4OpenMpKernels, GiveTheBitsOfTheCpuInEveryStage) {
  for (const auto scheme : {ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order}) {
    const auto solver = make_ccz4(scheme, false);
    Batch expected = random_spacetimes(*solver, 4, 3), found = expected;
    for (int stage = 0; stage < solver->traits().stages; ++stage)
      expect_bits_of_cpu(*solver, expected, found, stage, 0.0, 1e-5);
  }
}

}  // namespace
}  // namespace meander::solvers::test
