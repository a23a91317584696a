// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Patches in memory from which a device copies directly.

#include "offload/patch_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/trace.hpp"
#include "gpu/host_device.hpp"
#include "offload/batch_execution.hpp"
#include "physics/euler/solver.hpp"

namespace meander::offload {
namespace {

TEST(PatchMemory, FallsBackToHostMemory) {
  for (const bool fails : {false, true}) {
    gpu::HostDeviceSettings settings;
    settings.failing_allocation = fails ? 1 : 0;
    gpu::HostDevice device(settings);
    PatchMemory memory(device, gpu::Space::pinned);
    EXPECT_EQ(memory.place(), (gpu::Place{gpu::Space::pinned, 0}));
    auto* block = static_cast<double*>(memory.allocate_sync(8000, 64));
    block[999] = 1;
    EXPECT_EQ(memory.stats().fallbacks, fails ? 1u : 0u);
    EXPECT_EQ(memory.stats().live_bytes, 8000u);
    memory.deallocate_sync(block, 8000, 64);
    EXPECT_EQ(memory.stats().live_bytes, 0u);
    EXPECT_EQ(memory.stats().peak_bytes, 8000u);
  }
}

TEST(PatchMemory, SurvivesDeviceLoss) {
  gpu::HostDeviceSettings settings;
  settings.dies_after = 1;
  gpu::HostDevice device(settings);
  PatchMemory memory(device, gpu::Space::pinned);
  void* const before = memory.allocate_sync(4096);
  void* const after = memory.allocate_sync(4096);
  std::memset(before, 1, 4096);
  std::memset(after, 1, 4096);
  EXPECT_EQ(memory.stats().fallbacks, 1u);
  memory.deallocate_sync(before, 4096);
  memory.deallocate_sync(after, 4096);
}

// A batch whose slots are `gap` doubles apart.
class HeldBatch {
 public:
  static constexpr int count = 8;
  HeldBatch(gpu::Resource& memory, const solvers::PatchLayout& layout, std::ptrdiff_t gap) : memory_(memory) {
    const std::ptrdiff_t slot = layout.slot_size();
    bytes_ = static_cast<std::size_t>(count * (slot + gap)) * sizeof(double);
    base_ = static_cast<double*>(memory.allocate_sync(bytes_));
    for (int i = 0; i < count; ++i) {
      solvers::PatchTask& patch = patches_[i];
      patch.q = base_ + i * (slot + gap);
      patch.dx = 0.1;
      for (int unknown = 0; unknown < layout.unknowns; ++unknown) {
        for (std::ptrdiff_t v = 0; v < layout.unknown_stride(); ++v) {
          const double ripple = 0.01 * static_cast<double>((v * 7 + i * 5) % 11);
          patch.q[unknown * layout.unknown_stride() + v] = ripple + (unknown == 0                     ? 1
                                                                     : unknown == layout.unknowns - 1 ? 2.5
                                                                                                      : 0);
        }
      }
      tasks_.push_back({&patch, &status_[i], i});
    }
  }
  ~HeldBatch() { memory_.deallocate_sync(base_, bytes_); }
  HeldBatch(const HeldBatch&) = delete;
  HeldBatch& operator=(const HeldBatch&) = delete;
  std::span<const EnclaveTask> tasks() const { return tasks_; }
  const double* patch(int i) const { return patches_[i].q; }

 private:
  gpu::Resource& memory_;
  double* base_;
  std::size_t bytes_;
  solvers::PatchTask patches_[count];
  solvers::PatchStatus status_[count];
  std::vector<EnclaveTask> tasks_;
};

std::vector<double> interior(const solvers::PatchLayout& layout, const double* slot) {
  std::vector<double> values;
  for (int unknown = 0; unknown < layout.unknowns; ++unknown) {
    for (int j = 0; j < layout.p; ++j) {
      for (int k = 0; k < layout.p; ++k) values.push_back(slot[layout.at(unknown, k, j)]);
    }
  }
  return values;
}

std::size_t copies_in(const std::string& events) {
  const std::string name = "\"name\":\"copy in\"";
  std::size_t found = 0;
  for (std::size_t at = events.find(name); at != std::string::npos; at = events.find(name, at + 1)) ++found;
  return found;
}

struct Sent {
  std::ptrdiff_t gap;
  gpu::Space space;
  int p;
  std::size_t copies;
};

TEST(BatchExecution, CopiesAdjacentPinnedSlotsDirectly) {
  using gpu::Space;
  // Adjacent and large pieces are copied directly; otherwise one copy transfers the buffer.
  const Sent cases[] = {{0, Space::host, 16, 1},    {0, Space::pinned, 16, 2},  {0, Space::managed, 16, 2},
                        {64, Space::pinned, 16, 1}, {64, Space::pinned, 32, 9}, {0, Space::pinned, 4, 1}};
  for (const Sent& sent : cases) {
    const auto solver = euler::make_solver(2, {});
    const auto& traits = solver->traits();
    const solvers::PatchLayout layout(2, sent.p, traits.halo, traits.unknowns);
    gpu::HostDevice device;
    PatchMemory pinned(device, sent.space == Space::host ? Space::pinned : sent.space);
    gpu::Resource& memory = sent.space == Space::host ? gpu::host_memory() : pinned;
    HeldBatch batch(memory, layout, sent.gap), reference(gpu::host_memory(), layout, 0);
    for (const EnclaveTask& task : reference.tasks())
      solver->update({task.patch, 1}, layout, 0, 0, 1e-3, {task.status, 1});
    const auto strategy = gpu::make_strategy("pooled", device);
    BatchExecution execution(device, *strategy);
    trace::start();
    execution.start({solver.get(), layout, 0, 0, 1e-3, sent.space}, batch.tasks());
    execution.finish();
    trace::stop();
    EXPECT_EQ(copies_in(trace::events(0, "")), sent.copies)
        << "gap " << sent.gap << ", p " << sent.p << ", " << gpu::name(sent.space);
    trace::clear();
    for (int i = 0; i < HeldBatch::count; ++i)
      EXPECT_EQ(interior(layout, batch.patch(i)), interior(layout, reference.patch(i))) << i;
  }
}

}  // namespace
}  // namespace meander::offload
