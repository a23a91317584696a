// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-offload: each thread offloads a fixed number of patches in batches (the experiment of Wille,
// Weinzierl et al., ISC 2023). It prints the time per patch with all transfers, by device, equation, p,
// memory strategy, threads and batch size, and for comparison the times of link and kernel alone, the latter
// on resident patches, enough to occupy the whole device. With --kernels-only it prints these times. For the
// emulated device, the costs of link, launch, allocation and page fault are parameters, and the kernel is
// either a given time per patch or the CPU kernel: results are those of a model, and every line is labelled
// so.
#include <fmt/format.h>

#include "base/error.hpp"
#include "cases.hpp"
#include "gpu/strategy.hpp"
#include "options/options.hpp"
#include "sweep.hpp"

int main(int argc, char** argv) {
  meander::bench::Options options;
  namespace app = meander::app;
  const auto done = app::parse(
      argc, argv,
      "Measures the time per patch that threads offload in batches, on GPUs or on an emulated device of "
      "given "
      "costs (a model). Prints CSV",
      {{"--devices", options.devices, "host (emulated), cuda, openmp"},
       {"--equations", options.equations,
        "euler and ccz4 (Rusanov), euler-muscl, ccz4-fourth-order (one stage)",
        app::one_of(meander::bench::equation_names())},
       {"--seconds", options.seconds, "time limit after which no setting is started; 0: no limit",
        app::not_negative},
       {"--setting-seconds", options.setting_seconds,
        "time after which a setting is not repeated; 0: no limit", app::not_negative},
       {"--memory", options.strategies, "memory strategies", app::one_of(meander::gpu::strategy_names())},
       {"--queues", options.queues_per_thread, "queues per thread", app::between(1, 8)},
       {"--threads", options.threads, "numbers of threads", app::between(1, 128)},
       {"--batches", options.batches, "patches per batch", app::between(1, 4096)},
       {"--dimensions", options.dimensions, "2, 3", app::between(2, 3)},
       {"--patch-sizes", options.patch_sizes, "p", app::between(3, 32)},
       {"--patches", options.patches, "patches per thread, rounded to full batches", app::positive},
       {"--kernels-only", options.kernels_only, "print the times of kernels on resident patches"},
       {"--kernel-patches", options.kernel_patches, "largest number of resident patches of a kernel",
        app::positive},
       {"--repeats", options.repeats, "repeats, of which the median counts", app::positive},
       {"--real-kernel", options.real_kernel, "run the CPU kernel on the threads of the emulated device"},
       {"--patch-time", options.patch_time, "kernel time in seconds per patch", app::not_negative},
       {"--launch-latency", options.device.launch_latency, "seconds", app::not_negative},
       {"--copy-latency", options.device.copy_latency, "seconds", app::not_negative},
       {"--bandwidth-in", options.device.bandwidth_in, "bytes per second to the device; 0: unlimited",
        app::not_negative},
       {"--bandwidth-out", options.device.bandwidth_out, "bytes per second from the device; 0: unlimited",
        app::not_negative},
       {"--pageable-factor", options.device.pageable_factor, "slowdown of copies without pinned memory",
        app::not_negative},
       {"--allocation-stall", options.device.allocation_stall,
        "seconds that a raw allocation stops the device", app::not_negative},
       {"--page-fault", options.device.page_fault, "seconds per 64 KiB of managed memory",
        app::not_negative}});
  if (done) return *done;
  try {
    meander::bench::run(options);
  } catch (const meander::InputError& error) {
    fmt::print(stderr, "meander-bench-offload: {}\n", error.what());
    return meander::exit_input_error;
  } catch (const std::exception& error) {
    fmt::print(stderr, "meander-bench-offload: {}\n", error.what());
    return meander::exit_failure;
  }
  return meander::exit_done;
}
