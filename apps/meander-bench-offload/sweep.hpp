// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The measurements of the benchmark: batches of many threads over a grid of settings, and kernels alone.

#include <string>
#include <vector>

#include "gpu/host_device.hpp"

namespace meander::bench {

struct Options {
  std::vector<std::string> devices{"host"}, equations{"euler"}, strategies{"map", "pooled", "unified"};
  std::vector<int> threads{1, 2, 4, 8}, batches{1, 4, 16, 64}, dimensions{3}, patch_sizes{9};
  // While one batch of a thread is on the device, the thread packs the next one.
  int queues_per_thread = 2;
  int patches = 256, kernel_patches = 4096, repeats = 5;
  double seconds = 0;          // after which no setting is started; 0: no limit
  double setting_seconds = 0;  // after which a setting is not repeated; 0: no limit
  bool real_kernel = false, kernels_only = false;
  double patch_time = 2e-6;
  gpu::HostDeviceSettings device{.launch_latency = 5e-6,
                                 .bandwidth_in = 50e9,
                                 .bandwidth_out = 50e9,
                                 .copy_latency = 5e-6,
                                 .pageable_factor = 3,
                                 .allocation_stall = 1e-4,
                                 .page_fault = 2e-5};
};

// Prints a table as CSV. Throws InputError, DeviceError, OutOfMemory.
void run(const Options& options);

}  // namespace meander::bench
