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

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "cases.hpp"
#include "gpu/strategy.hpp"
#include "sweep.hpp"

int main(int argc, char** argv) {
  meander::bench::Options options;
  CLI::App app(
      "Measures the time per patch that threads offload in batches, on GPUs or on an emulated device of "
      "given "
      "costs (a model). Prints CSV");
  app.add_option("--devices", options.devices, "host (emulated), cuda, openmp")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--equations", options.equations,
                 "euler and ccz4 (Rusanov), euler-muscl, ccz4-fourth-order (one stage)")
      ->delimiter(',')
      ->check(CLI::IsMember(meander::bench::equation_names()))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "time limit after which no setting is started; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--setting-seconds", options.setting_seconds,
                 "time after which a setting is not repeated; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--memory", options.strategies, "memory strategies")
      ->delimiter(',')
      ->check(CLI::IsMember(meander::gpu::strategy_names()))
      ->capture_default_str();
  app.add_option("--queues", options.queues_per_thread, "queues per thread")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads")
      ->delimiter(',')
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  app.add_option("--batches", options.batches, "patches per batch")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--dimensions", options.dimensions, "2, 3")
      ->delimiter(',')
      ->check(CLI::Range(2, 3))
      ->capture_default_str();
  app.add_option("--patch-sizes", options.patch_sizes, "p")
      ->delimiter(',')
      ->check(CLI::Range(3, 32))
      ->capture_default_str();
  app.add_option("--patches", options.patches, "patches per thread, rounded to full batches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--kernels-only", options.kernels_only, "print the times of kernels on resident patches");
  app.add_option("--kernel-patches", options.kernel_patches, "largest number of resident patches of a kernel")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "repeats, of which the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--real-kernel", options.real_kernel,
               "run the CPU kernel on the threads of the emulated device");
  const auto cost = [&](const char* name, double& value, const char* meaning) {
    app.add_option(name, value, meaning)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  cost("--patch-time", options.patch_time, "kernel time in seconds per patch");
  cost("--launch-latency", options.device.launch_latency, "seconds");
  cost("--copy-latency", options.device.copy_latency, "seconds");
  cost("--bandwidth-in", options.device.bandwidth_in, "bytes per second to the device; 0: unlimited");
  cost("--bandwidth-out", options.device.bandwidth_out, "bytes per second from the device; 0: unlimited");
  cost("--pageable-factor", options.device.pageable_factor, "slowdown of copies without pinned memory");
  cost("--allocation-stall", options.device.allocation_stall,
       "seconds that a raw allocation stops the device");
  cost("--page-fault", options.device.page_fault, "seconds per 64 KiB of managed memory");
  CLI11_PARSE(app, argc, argv);
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
