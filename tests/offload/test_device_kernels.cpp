// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Batches updated by a solver's device kernels are bitwise identical to updates on the CPU: with CUDA, with
// OpenMP, and on the emulated device, which runs the block kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "gpu/host_device.hpp"
#include "offload/batch_execution.hpp"
#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/euler_batch.hpp"

namespace meander::offload {
namespace {

using solvers::test::Batch;

class DeviceKernels : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string missing = gpu::why_missing(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
    device_ = std::move(gpu::make_devices(GetParam()).front());
  }

  // Compares all stages of a step: `expected` on the CPU, `found` on the device.
  void expect_same_bits(const solvers::Solver& solver, Batch& expected, Batch& found, double dt,
                        const std::string& strategy) const {
    ASSERT_TRUE(solver.runs_on(device_->properties().kind));
    const auto memory = gpu::make_strategy(strategy, *device_);
    BatchExecution execution(*device_, *memory, true);
    for (int stage = 0; stage < solver.traits().stages; ++stage) {
      SCOPED_TRACE(testing::Message() << solver.traits().name << ", p " << found.layout.p << ", stage "
                                      << stage << ", " << strategy);
      expected.update(stage, 0.3, dt);
      std::vector<solvers::PatchTask> patches = found.tasks();
      std::vector<EnclaveTask> tasks;
      for (std::size_t n = 0; n < patches.size(); ++n)
        tasks.push_back({&patches[n], &found.status[n], static_cast<std::int32_t>(n)});
      execution.start({&solver, found.layout, stage, 0.3, dt}, tasks);
      execution.finish();
      found.expect_same_bits(expected);
      found.slots = expected.slots;  // stale halos differ
    }
  }

  std::unique_ptr<gpu::Device> device_;
};

TEST_P(DeviceKernels, EulerIsBitwiseIdenticalToTheCpu) {
  // OpenMP's kernels are not specialised by patch size.
  const std::vector<int> sizes =
      GetParam() == "openmp" ? std::vector{3, 5, 9}
                             : std::vector{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 24};
  // The memory of a block of MUSCL in 3D with p = 24 exceeds the shared memory of every GPU: it is scratch memory.
  const std::string sharing = device_->properties().reads_pinned ? "zero-copy" : "map";
  auto cases = solvers::test::euler_cases(sizes);
  std::ranges::copy(solvers::test::euler_cases({5}, true), std::back_inserter(cases));
  if (GetParam() == "cuda") {
    // Sizes whose blocks do not fit into the shared memory of every GPU, in 2D only the largest.
    const auto large = [&](const std::vector<int>& patches, bool dual_energy) {
      std::ranges::copy_if(solvers::test::euler_cases(patches, dual_energy), std::back_inserter(cases),
                           [](const auto& one) { return one.dim == 2 || one.p < 32; });
    };
    large({32}, false);
    large({24, 32}, true);
  }
  for (const auto& one : cases) {
    const auto solver = make(one);
    Batch expected = solvers::test::random_batch(*solver, one.p, 7), found = expected;
    SCOPED_TRACE(one.name());
    expect_same_bits(*solver, expected, found, 1e-3, one.gravity ? "pooled" : sharing);
  }
}

TEST_P(DeviceKernels, Ccz4IsBitwiseIdenticalToTheCpuInEveryStage) {
  for (const auto scheme : {ccz4::Scheme::rusanov, ccz4::Scheme::fourth_order}) {
    // On an emulated device a block has one thread. Sizes with kernels of their own, and without.
    for (const int p : GetParam() == "cuda" ? std::vector{4, 5, 9, 10, 11, 12, 14, 16} : std::vector{4, 5}) {
      const auto solver = solvers::test::make_ccz4(scheme, p == 4);
      // Batches without radiative faces, and with some.
      for (const int count : {1, 4}) {
        Batch expected = solvers::test::random_spacetimes(*solver, p, count), found = expected;
        expect_same_bits(*solver, expected, found, 1e-5, "pooled");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, DeviceKernels, testing::Values("host", "cuda", "openmp"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace meander::offload
