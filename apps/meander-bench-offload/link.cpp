// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "link.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "gpu/device_resources.hpp"
#include "solvers/device_batch.hpp"

namespace meander::bench {
namespace {

constexpr int repeats = 5;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::size_t lines(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

std::size_t slot_bytes(const solvers::PatchLayout& layout) {
  return static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
}
std::size_t interior_bytes(const solvers::PatchLayout& layout) {
  return static_cast<std::size_t>(layout.volumes() * layout.unknowns) * sizeof(double);
}

}  // namespace

Link measure_link(gpu::Device& device) {
  constexpr std::size_t bytes = std::size_t{32} << 20, copies = 4;
  gpu::DirectMemory memory(device, gpu::Space::device), pinned(device, gpu::Space::pinned);
  void* const there = memory.allocate_sync(2 * bytes);
  void* const here = pinned.allocate_sync(2 * bytes);
  std::memset(here, 1, 2 * bytes);
  const gpu::Queue in = device.create_queue(), out = device.create_queue();
  std::vector<double> in_seconds, out_seconds;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double start = now();
    for (std::size_t i = 0; i < copies; ++i) {
      device.copy(in, gpu::Copy::in, there, here, bytes);
      device.copy(out, gpu::Copy::out, static_cast<char*>(here) + bytes, static_cast<char*>(there) + bytes,
                  bytes);
    }
    device.synchronize(in);
    const double in_over = now();
    device.synchronize(out);
    const double out_over = now();
    if (repeat < 0) continue;  // warm-up
    in_seconds.push_back(in_over - start);
    out_seconds.push_back(out_over - start);
  }
  device.destroy_queue(in);
  device.destroy_queue(out);
  pinned.deallocate_sync(here, 2 * bytes);
  memory.deallocate_sync(there, 2 * bytes);
  const auto all = static_cast<double>(copies * bytes);
  return {all / median(in_seconds), all / median(out_seconds)};
}

double link_seconds(const Link& link, const solvers::PatchLayout& layout) {
  return std::max(static_cast<double>(slot_bytes(layout)) / link.in,
                  static_cast<double>(interior_bytes(layout)) / link.out);
}

std::optional<double> kernel_seconds(gpu::Device& device, const solvers::Solver& solver,
                                     const solvers::PatchLayout& layout, int batch, const double* slot) {
  if (!solver.runs_on(device.properties().kind)) return std::nullopt;
  const auto count = static_cast<std::size_t>(batch);
  const std::size_t stage =
      static_cast<std::size_t>(solver.traits().stage_blocks * layout.stage_block_size()) * sizeof(double);
  const auto step = solver.step_bytes();
  std::size_t end = 0;
  const auto place = [&end](std::size_t bytes) {
    const std::size_t begin = end;
    end += lines(bytes);
    return begin;
  };
  place(count * sizeof(solvers::DevicePatch));
  const std::size_t step_at = place(step.size()), slots = place(count * lines(slot_bytes(layout))),
                    next = place(count * lines(interior_bytes(layout))), stages = place(count * lines(stage)),
                    status = place(count * sizeof(solvers::PatchStatus)),
                    scratch = place(solver.scratch_bytes(layout, batch));
  gpu::DirectMemory memory(device, gpu::Space::device);
  char* const base = static_cast<char*>(memory.allocate_sync(end));
  const auto at = [&](std::size_t offset) { return reinterpret_cast<double*>(base + offset); };
  std::vector<char> image(end);
  for (std::size_t i = 0; i < count; ++i) {
    auto& patch = *new (image.data() + i * sizeof(solvers::DevicePatch)) solvers::DevicePatch;
    const std::size_t own = slots + i * lines(slot_bytes(layout));
    std::memcpy(image.data() + own, slot, slot_bytes(layout));
    patch.q = at(own);
    patch.next = at(next + i * lines(interior_bytes(layout)));
    if (stage > 0) patch.stages = at(stages + i * lines(stage));
    patch.dx = 0.01;
  }
  if (!step.empty()) std::memcpy(image.data() + step_at, step.data(), step.size());
  solvers::DeviceBatch work;
  work.count = batch;
  work.patches = reinterpret_cast<const solvers::DevicePatch*>(base);
  work.status = reinterpret_cast<solvers::PatchStatus*>(base + status);
  work.step_data = step.empty() ? nullptr : base + step_at;
  work.scratch = base + scratch;
  work.layout = layout;
  work.dt = 1e-6;
  const gpu::Queue queue = device.create_queue();
  device.copy(queue, gpu::Copy::in, base, image.data(), end);
  const auto launch = [&] {
    device.launch(queue, "update", [&](const gpu::Execution& execution) { solver.launch(execution, work); });
  };
  launch();
  device.synchronize(queue);
  constexpr int launches = 10;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = now();
    for (int i = 0; i < launches; ++i) launch();
    device.synchronize(queue);
    seconds.push_back((now() - start) / (launches * static_cast<double>(batch)));
  }
  device.destroy_queue(queue);
  memory.deallocate_sync(base, end);
  return median(seconds);
}

}  // namespace meander::bench
