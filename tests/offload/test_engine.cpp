// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Batches on an emulated device: all results of an update are written back, and nothing of a failed batch is.

#include "offload/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "gpu/host_device.hpp"
#include "tests/offload/watched_device.hpp"

namespace meander::offload {
namespace {

// Writes values derived from its input to all outputs of an update, so that every missing transfer is
// detected.
class Marking final : public solvers::Solver {
 public:
  Marking() {
    traits_.dim = 2;
    traits_.unknowns = 2;
    traits_.halo = 1;
    traits_.stages = 3;
    traits_.stage_blocks = 3;
  }
  const solvers::Traits& traits() const override { return traits_; }
  void update(std::span<const solvers::PatchTask> tasks, const solvers::PatchLayout& layout, int stage,
              double t, double dt, std::span<solvers::PatchStatus> status) const override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const solvers::PatchTask& task = tasks[i];
      const double id = task.q[0];
      for (int n = 0; n < layout.unknowns; ++n) {
        for (int j = 0; j < layout.p; ++j) {
          for (int k = 0; k < layout.p; ++k) {
            double& q = task.q[layout.at(n, k, j)];
            q = 2 * q + n + j - k + t + dt + stage;
          }
        }
      }
      for (int n = 0; task.stages != nullptr && n < stage_doubles; ++n) task.stages[n] += id;
      for (double* flux : task.flux) {
        for (std::ptrdiff_t n = 0; flux != nullptr && n < layout.face_flux_size(); ++n)
          flux[n] = id + task.dx;
      }
      status[i] = {};
      status[i].max_rate = id;
      status[i].first_order = 1;
      status[i].floored = 2;
      status[i].admissible = id < 1000;
    }
  }
  solvers::PatchStatus inspect(const solvers::PatchTask&, const solvers::PatchLayout&) const override {
    return {};
  }
  bool admissible(const double*) const override { return true; }
  void reflection_signs(int, std::span<double>) const override {}
  const std::vector<solvers::Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return nullptr; }

  static constexpr int p = 4, stage_doubles = 3 * p * p * 2;

 private:
  solvers::Traits traits_;
  std::vector<solvers::Derived> derived_;
};

struct Patches {
  explicit Patches(int count)
      : layout(2, Marking::p, 1, 2), tasks(static_cast<std::size_t>(count)), status(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto& own = memory.emplace_back(static_cast<std::size_t>(layout.slot_size()), static_cast<double>(i));
      auto& stages = memory.emplace_back(Marking::stage_doubles, 0.5);
      auto& flux = memory.emplace_back(static_cast<std::size_t>(layout.face_flux_size()), -1.0);
      tasks[i].q = own.data();
      tasks[i].dx = 0.25;
      // Patches with and without stage blocks and registers, in one batch.
      if (i % 2 == 0) tasks[i].stages = stages.data();
      if (i % 3 == 0) tasks[i].flux[i % 4] = flux.data();
    }
  }
  void fill(TaskPool& pool) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
      pool.put({&tasks[i], &status[i], static_cast<std::int32_t>(i)});
  }
  bool equals(const Patches& other) const {
    const auto same = [](const auto& a, const auto& b) {
      return a.max_rate == b.max_rate && a.first_order == b.first_order && a.floored == b.floored &&
             a.admissible == b.admissible;
    };
    return memory == other.memory && std::equal(status.begin(), status.end(), other.status.begin(), same);
  }

  solvers::PatchLayout layout;
  std::deque<std::vector<double>> memory;
  std::vector<solvers::PatchTask> tasks;
  std::vector<solvers::PatchStatus> status;
};

constexpr int count = 37, batch = 4;

// Updates the patches by `engine` on several threads, and the remainder on the CPU.
void sweep(Engine& engine, const Marking& solver, Patches& patches, int threads) {
  const UpdateCall call{&solver, patches.layout, 1, 0.5, 0.125};
  std::mutex mutex;
  std::set<std::int32_t> seen;
  engine.begin(call, [&](const EnclaveTask& task, double seconds) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(seen.insert(task.order_index).second) << task.order_index << " twice";
    EXPECT_GE(seconds, 0);
    EXPECT_EQ(task.status->first_order, 1) << "called before the update";
  });
  TaskPool pool;
  patches.fill(pool);
  std::vector<std::jthread> team;
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&] {
      for (;;) {
        const bool alone = engine.in_flight() == 0;
        if (engine.offload(pool) || engine.complete()) continue;
        if (alone && pool.size() < batch) return;
        std::this_thread::yield();
        // A device that was given up takes no further batches.
        if (alone && engine.counts().given_up > 0) return;
      }
    });
  }
  team.clear();
  while (const auto task = pool.take()) {
    solver.update({task->patch, 1}, call.layout, call.stage, call.t, call.dt, {task->status, 1});
    seen.insert(task->order_index);
  }
  EXPECT_EQ(seen.size(), patches.tasks.size());
}

Patches expected(const Marking& solver) {
  Patches patches(count);
  solver.update(patches.tasks, patches.layout, 1, 0.5, 0.125, patches.status);
  return patches;
}

std::vector<std::unique_ptr<gpu::Device>> one(const gpu::HostDeviceSettings& settings) {
  std::vector<std::unique_ptr<gpu::Device>> devices;
  devices.push_back(std::make_unique<gpu::HostDevice>(settings));
  return devices;
}

Options options(const std::string& memory) {
  Options result;
  result.batch = batch;
  result.memory = memory;
  return result;
}

class EngineWithQuick : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Tasks, EngineWithQuick, testing::ValuesIn(gpu::strategy_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EngineWithQuick, WritesBackSlotsStagesFluxesAndStatus) {
  const Marking solver;
  for (const int threads : {1, 3}) {
    Engine engine(one({}), options(GetParam()));
    Patches patches(count);
    sweep(engine, solver, patches, threads);
    EXPECT_TRUE(patches.equals(expected(solver)));
    EXPECT_EQ(engine.counts().batches, count / batch);
    EXPECT_EQ(engine.counts().patches, count / batch * batch);
    EXPECT_EQ(engine.memory().live_bytes, 0u);
  }
}

TEST_P(EngineWithQuick, FailedBatchWritesNothing) {
  const Marking solver;
  for (std::uint64_t nth = 1; nth <= 6; ++nth) {
    for (const bool launch : {true, false}) {
      gpu::HostDeviceSettings failing;
      (launch ? failing.failing_launch : failing.failing_copy) = nth;
      Engine engine(one(failing), options(GetParam()));
      Patches patches(count);
      sweep(engine, solver, patches, 2);
      // Updates double their input: a second update of half-written slots would be detected.
      EXPECT_TRUE(patches.equals(expected(solver))) << nth;
      EXPECT_EQ(engine.counts().on_cpu, 0);
      EXPECT_EQ(engine.memory().live_bytes, 0u);
    }
  }
}

TEST_P(EngineWithQuick, UpdatesAllOnTheCpuAfterDeviceLoss) {
  const Marking solver;
  for (const std::uint64_t calls : {10, 13, 17, 22, 30}) {
    gpu::HostDeviceSettings mortal;
    mortal.dies_after = calls;
    mortal.kernel_delay = 5e-5;
    Engine engine(one(mortal), options(GetParam()));
    Patches patches(count);
    sweep(engine, solver, patches, 2);
    EXPECT_TRUE(patches.equals(expected(solver))) << calls;
    EXPECT_EQ(engine.counts().given_up, 1) << calls;
  }
}

TEST(Engine, OneThreadAtATimeAsksForBatchesThatAreOver) {
  const Marking solver;
  auto device = std::make_unique<test::WatchedDevice>(gpu::HostDeviceSettings{.kernel_delay = 2e-4});
  const test::WatchedDevice& watched = *device;
  std::vector<std::unique_ptr<gpu::Device>> devices;
  devices.push_back(std::move(device));
  Engine engine(std::move(devices), options("pooled"));
  Patches patches(count);
  sweep(engine, solver, patches, 6);
  EXPECT_TRUE(patches.equals(expected(solver)));
  EXPECT_EQ(watched.most_asking(), 1);
}

TEST(Engine, GivesUpADeviceWithoutMemoryForOnePatch) {
  const Marking solver;
  gpu::HostDeviceSettings tiny;
  tiny.capacity = 4096;
  Options few = options("map");
  few.batch = 1;
  Patches large(0);
  large.layout = {2, 24, 1, 2};
  for (int i = 0; i < count; ++i) {
    auto& slot = large.memory.emplace_back(static_cast<std::size_t>(large.layout.slot_size()), 1.0 + i);
    large.tasks.push_back({});
    large.tasks.back().q = slot.data();
  }
  large.status.resize(large.tasks.size());
  Engine engine(one(tiny), few);
  engine.begin({&solver, large.layout, 0, 0, 0}, [](const EnclaveTask&, double) {});
  TaskPool pool;
  large.fill(pool);
  while (engine.offload(pool)) {
  }
  EXPECT_EQ(engine.counts().given_up, 1);
  EXPECT_EQ(engine.counts().on_cpu, 3);
  EXPECT_EQ(engine.counts().retried, 3);
  EXPECT_EQ(pool.size(), static_cast<std::size_t>(count - 3));
  EXPECT_EQ(large.tasks[0].q[large.layout.at(0, 0, 0)], 2.0);
  EXPECT_EQ(large.tasks[3].q[0], 4.0) << "not yet updated";
}

}  // namespace
}  // namespace meander::offload
