// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "link.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "gpu/device_resources.hpp"

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

}  // namespace meander::bench
