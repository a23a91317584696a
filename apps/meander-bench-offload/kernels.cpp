// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "gpu/device_resources.hpp"
#include "solvers/device_batch.hpp"

namespace meander::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::size_t lines(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// Sizes in bytes of the blocks of one patch on the device.
struct PatchBytes {
  std::size_t slot, next, stages, scratch;
  PatchBytes(const solvers::Solver& solver, const solvers::PatchLayout& layout)
      : slot(lines(static_cast<std::size_t>(layout.slot_size()) * sizeof(double))),
        next(lines(static_cast<std::size_t>(layout.volumes() * layout.unknowns) * sizeof(double))),
        stages(lines(static_cast<std::size_t>(solver.traits().stage_blocks * layout.stage_block_size()) *
                     sizeof(double))),
        scratch(solver.scratch_bytes(layout, 1)) {}
  std::size_t all() const {
    return slot + next + stages + scratch + sizeof(solvers::DevicePatch) + sizeof(solvers::PatchStatus);
  }
};

}  // namespace

double least_bytes(const solvers::Solver& solver, const solvers::PatchLayout& layout) {
  const std::ptrdiff_t doubles = layout.unknowns * (layout.unknown_stride() + layout.volumes()) +
                                 solver.traits().stage_blocks * layout.stage_block_size();
  return static_cast<double>(doubles) * sizeof(double);
}

std::optional<KernelTime> kernel_time(gpu::Device& device, const solvers::Solver& solver,
                                      const solvers::PatchLayout& layout, int patches, const double* slot) {
  if (!solver.runs_on(device.properties().kind)) return std::nullopt;
  const PatchBytes bytes(solver, layout);
  const std::size_t fit = device.available() / 2 / bytes.all();
  const std::size_t count = std::clamp<std::size_t>(fit, 1, static_cast<std::size_t>(patches));
  const auto step = solver.step_bytes();
  std::size_t end = 0;
  const auto place = [&end](std::size_t size) {
    const std::size_t begin = end;
    end += lines(size);
    return begin;
  };
  place(count * sizeof(solvers::DevicePatch));
  const std::size_t step_at = place(step.size()), slots = place(count * bytes.slot),
                    next = place(count * bytes.next), stages = place(count * bytes.stages),
                    status = place(count * sizeof(solvers::PatchStatus)),
                    scratch = place(solver.scratch_bytes(layout, static_cast<int>(count)));
  gpu::DirectMemory memory(device, gpu::Space::device);
  char* const base = static_cast<char*>(memory.allocate_sync(end));
  const auto at = [&](std::size_t offset) { return reinterpret_cast<double*>(base + offset); };
  const gpu::Queue queue = device.create_queue();
  std::vector<solvers::DevicePatch> table(count);
  for (std::size_t i = 0; i < count; ++i) {
    table[i].q = at(slots + i * bytes.slot);
    table[i].next = at(next + i * bytes.next);
    if (bytes.stages > 0) table[i].stages = at(stages + i * bytes.stages);
    table[i].dx = 0.01;
    device.copy(queue, gpu::Copy::in, base + slots + i * bytes.slot, slot,
                static_cast<std::size_t>(layout.slot_size()) * sizeof(double));
  }
  device.copy(queue, gpu::Copy::in, base, table.data(), count * sizeof(solvers::DevicePatch));
  if (!step.empty()) device.copy(queue, gpu::Copy::in, base + step_at, step.data(), step.size());
  solvers::DeviceBatch work;
  work.count = static_cast<int>(count);
  work.patches = reinterpret_cast<const solvers::DevicePatch*>(base);
  work.status = reinterpret_cast<solvers::PatchStatus*>(base + status);
  work.step_data = step.empty() ? nullptr : base + step_at;
  work.scratch = base + scratch;
  work.layout = layout;
  work.dt = 1e-6;
  const auto launch = [&] {
    device.launch(queue, "update", [&](const gpu::Execution& execution) { solver.launch(execution, work); });
  };
  const auto timed = [&](int launches) {
    const double start = now();
    for (int i = 0; i < launches; ++i) launch();
    device.synchronize(queue);
    return now() - start;
  };
  // A GPU that was idle needs some time to reach its clock. Launches of an emulated device may take seconds.
  const bool is_emulated = device.properties().kind == "host";
  const double warm = is_emulated ? 0 : 0.5, long_enough = is_emulated ? 0.02 : 0.1;
  double fastest = timed(1);
  for (double spent = fastest; spent < warm;) {
    const double once = timed(1);
    fastest = std::min(fastest, once);
    spent += once;
  }
  const int launches = static_cast<int>(std::clamp(std::ceil(long_enough / fastest), 1.0, 1e5));
  std::vector<double> seconds;
  for (double spent = 0; seconds.size() < 5 && spent < 5 * long_enough;) {
    const double of_all = timed(launches);
    seconds.push_back(of_all / (launches * static_cast<double>(count)));
    spent += of_all;
  }
  device.destroy_queue(queue);
  memory.deallocate_sync(base, end);
  std::sort(seconds.begin(), seconds.end());
  return KernelTime{seconds[seconds.size() / 2], static_cast<int>(count)};
}

}  // namespace meander::bench
