// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What batches need not carry: step data, which are sent once a sweep, and slots that a device reads where they
// are.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "offload/engine.hpp"
#include "physics/euler/gravity.hpp"
#include "physics/euler/solver.hpp"
#include "tests/offload/watched_device.hpp"

namespace meander::offload {
namespace {

constexpr int rippled_patches = 12, small_batch = 3;

// Gas with ripples in slots of the given memory.
class RippledPatches {
 public:
  RippledPatches(gpu::Resource& memory, const solvers::PatchLayout& layout)
      : memory_(memory), layout_(layout), tasks_(rippled_patches), status_(rippled_patches) {
    slots_ = static_cast<double*>(memory.allocate_sync(bytes()));
    for (int i = 0; i < rippled_patches; ++i) {
      auto& task = tasks_[static_cast<std::size_t>(i)];
      task.q = slots_ + i * layout.slot_size();
      task.dx = 0.1;
      task.lower[0] = 0.1 * i;
      for (int n = 0; n < layout.unknowns; ++n) {
        for (std::ptrdiff_t v = 0; v < layout.unknown_stride(); ++v) {
          const double ripple = 0.01 * static_cast<double>((v * 7 + i * 5) % 11);
          task.q[n * layout.unknown_stride() + v] = ripple + (n == 0                     ? 1
                                                              : n + 1 == layout.unknowns ? 2.5
                                                                                         : 0);
        }
      }
    }
  }
  ~RippledPatches() { memory_.deallocate_sync(slots_, bytes()); }
  RippledPatches(const RippledPatches&) = delete;
  RippledPatches& operator=(const RippledPatches&) = delete;

  void fill(TaskPool& pool) {
    for (std::size_t i = 0; i < rippled_patches; ++i) pool.put({&tasks_[i], &status_[i], 0});
  }
  void update(const solvers::Solver& solver) { solver.update(tasks_, layout_, 0, 0, 1e-3, status_); }
  std::vector<double> interiors() const {
    std::vector<double> values;
    for (const solvers::PatchTask& task : tasks_) {
      for (int n = 0; n < layout_.unknowns; ++n) {
        for (int v = 0; v < layout_.volumes(); ++v)
          values.push_back(task.q[layout_.at(n, v % layout_.p, v / layout_.p)]);
      }
    }
    return values;
  }

 private:
  std::size_t bytes() const {
    return rippled_patches * static_cast<std::size_t>(layout_.slot_size()) * sizeof(double);
  }

  gpu::Resource& memory_;
  const solvers::PatchLayout layout_;
  double* slots_;
  std::vector<solvers::PatchTask> tasks_;
  std::vector<solvers::PatchStatus> status_;
};

solvers::PatchLayout layout_of(const solvers::Solver& solver) {
  return {2, 24, solver.traits().halo, solver.traits().unknowns};
}

void sweep(Engine& engine, const solvers::Solver& solver, RippledPatches& patches, gpu::Space space) {
  engine.begin({&solver, layout_of(solver), 0, 0, 1e-3, space}, [](const EnclaveTask&, double) {});
  TaskPool pool;
  patches.fill(pool);
  while (pool.size() > 0 || engine.in_flight() > 0) {
    if (!engine.offload(pool)) engine.complete();
  }
}

struct WatchedEngine {
  explicit WatchedEngine(Options options, const gpu::HostDeviceSettings& settings = {}) {
    options.batch = small_batch;
    auto watched = std::make_unique<test::WatchedDevice>(settings);
    device = watched.get();
    std::vector<std::unique_ptr<gpu::Device>> devices;
    devices.push_back(std::move(watched));
    engine = std::make_unique<Engine>(std::move(devices), options);
  }
  test::WatchedDevice* device;
  std::unique_ptr<Engine> engine;
};

std::unique_ptr<solvers::Solver> with_gravity() {
  auto solver = euler::make_solver(2, {});
  auto& gravity = *static_cast<euler::Gravity*>(solver->step_data());
  gravity.radial = true;
  gravity.dim = 2;
  gravity.bins = 64;
  gravity.dr = 0.05;
  gravity.strength = 0.3;
  for (int i = 0; i <= gravity.bins; ++i) gravity.table[i] = 0.01 * i;
  return solver;
}

TEST(StepData, AreSentOnceASweepToTheSameBits) {
  for (const char* memory : {"map", "pooled", "cuda-async"}) {
    for (const bool block_kernels : {false, true}) {
      const auto solver = with_gravity(), without = euler::make_solver(2, {});
      const std::size_t step_bytes = solver->step_bytes().size();
      ASSERT_GT(step_bytes, 1000u);
      ASSERT_TRUE(without->step_bytes().empty());
      const auto options = [&] {
        Options result;
        result.memory = memory;
        result.block_kernels = block_kernels;
        return result;
      };
      WatchedEngine watched(options()), baseline(options());
      const auto layout = layout_of(*solver);
      RippledPatches expected(gpu::host_memory(), layout);
      expected.update(*solver);
      for (int step = 0; step < 2; ++step) {
        RippledPatches patches(gpu::host_memory(), layout), others(gpu::host_memory(), layout);
        sweep(*watched.engine, *solver, patches, gpu::Space::host);
        sweep(*baseline.engine, *without, others, gpu::Space::host);
        EXPECT_EQ(patches.interiors(), expected.interiors()) << memory;
      }
      EXPECT_EQ(watched.device->copied_in(), baseline.device->copied_in() + 2 * step_bytes) << memory;
      EXPECT_EQ(watched.engine->counts().failed, 0);
      watched.engine->safepoint();
      EXPECT_EQ(watched.engine->memory().live_bytes, 0u);
    }
  }
}

// Every copy of the sweep fails once, also that of the step data.
TEST(StepData, AreSentAgainAfterAFailure) {
  const auto solver = with_gravity();
  const auto layout = layout_of(*solver);
  RippledPatches expected(gpu::host_memory(), layout);
  expected.update(*solver);
  for (std::uint64_t nth = 1; nth <= 6; ++nth) {
    WatchedEngine watched({}, {.failing_copy = nth});
    RippledPatches patches(gpu::host_memory(), layout);
    sweep(*watched.engine, *solver, patches, gpu::Space::host);
    EXPECT_EQ(patches.interiors(), expected.interiors()) << nth;
    EXPECT_EQ(watched.engine->counts().on_cpu, 0) << nth;
    EXPECT_EQ(watched.engine->counts().failed, 1) << nth;
  }
}

TEST(ZeroCopy, ReadsPinnedSlotsWhereTheyAre) {
  const auto solver = euler::make_solver(2, {});
  const auto layout = layout_of(*solver);
  RippledPatches expected(gpu::host_memory(), layout);
  expected.update(*solver);
  for (const bool block_kernels : {false, true}) {
    std::size_t bytes[2] = {};
    for (const gpu::Space space : {gpu::Space::host, gpu::Space::pinned}) {
      Options options;
      options.memory = "zero-copy";
      options.patches = space;
      options.block_kernels = block_kernels;
      options.queues = 1;
      WatchedEngine watched(options);
      RippledPatches patches(watched.engine->patch_memory(), layout);
      sweep(*watched.engine, *solver, patches, space);
      EXPECT_EQ(patches.interiors(), expected.interiors());
      EXPECT_EQ(watched.engine->counts().failed, 0);
      bytes[space == gpu::Space::pinned] = watched.engine->peak_device_bytes();
    }
    const std::size_t slots = small_batch * static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
    EXPECT_LE(bytes[1] + slots / 2, bytes[0]) << "the batch holds no copies of the slots";
  }
}

}  // namespace
}  // namespace meander::offload
