// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-offload: every thread deploys a fixed number of patches in batches (the experiment of Wille,
// Weinzierl et al., ISC 2023); time a patch with all transfers, by memory strategy, threads and batch. On the
// emulated device the costs of link, launch, allocation and page fault are given, and the kernel is either a
// given time a patch or the CPU's own: a model, and labelled so in every line. Other devices are measured;
// where OpenMP has only the initial one, the line says that no GPU was.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "gpu/host_device.hpp"
#include "modelled_solver.hpp"
#include "tasks/offload_engine.hpp"

namespace meander::bench {
namespace {

struct Options {
  std::vector<std::string> strategies{"map", "pooled", "unified"};
  std::vector<int> threads{1, 2, 4, 8}, batches{1, 4, 16, 64};
  int dimensions = 3, patch_size = 9, patches = 256, repeats = 5;
  bool real_kernel = false;
  double patch_time = 2e-6;
  std::string device = "host";
  gpu::HostDeviceSettings emulated{.launch_latency = 5e-6,
                                   .bandwidth_in = 50e9,
                                   .bandwidth_out = 50e9,
                                   .copy_latency = 5e-6,
                                   .pageable_factor = 3,
                                   .allocation_stall = 1e-4,
                                   .page_fault = 2e-5};
};

// One patch a slot, filled with a gas at rest.
class Patches {
 public:
  Patches(const solvers::PatchLayout& layout, int count)
      : memory_(static_cast<std::size_t>(layout.slot_size()) * static_cast<std::size_t>(count)),
        tasks_(static_cast<std::size_t>(count)),
        status_(tasks_.size()) {
    const auto slot = static_cast<std::size_t>(layout.slot_size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      double* const q = memory_.data() + i * slot;
      for (const int unknown : {0, layout.unknowns - 1})
        std::fill_n(q + unknown * layout.unknown_stride(), layout.unknown_stride(),
                    1.0 + 1.5 * (unknown > 0));
      tasks_[i].q = q;
      tasks_[i].dx = 0.01;
    }
  }
  void put_into(tasks::TaskPool& pool) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) pool.put({&tasks_[i], &status_[i], 0});
  }

 private:
  std::vector<double> memory_;
  std::vector<solvers::PatchTask> tasks_;
  std::vector<solvers::PatchStatus> status_;
};

// Wall seconds until all threads have seen all their patches done.
double deploy(tasks::OffloadEngine& engine, std::vector<Patches>& patches) {
  std::vector<tasks::TaskPool> pools(patches.size());
  for (std::size_t i = 0; i < pools.size(); ++i) patches[i].put_into(pools[i]);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> team;
    for (tasks::TaskPool& pool : pools) {
      team.emplace_back([&engine, &pool] {
        while (pool.size() > 0 || engine.in_flight() > 0) {
          if (!engine.offload(pool) && !engine.complete()) std::this_thread::yield();
        }
      });
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const Options& options, const solvers::Solver& solver, const std::string& memory, int threads,
             int batch) {
  const auto& traits = solver.traits();
  const solvers::PatchLayout layout(traits.dim, options.patch_size, traits.halo, traits.unknowns);
  // Whole batches only: the benchmark has no CPU to leave the rest to.
  const int each = std::max(1, options.patches / batch) * batch;
  std::vector<Patches> patches;
  for (int i = 0; i < threads; ++i) patches.emplace_back(layout, each);
  auto devices = gpu::make_devices(options.device, options.emulated);
  devices.resize(1);
  const gpu::DeviceProperties properties = devices.front()->properties();
  const bool model = properties.kind == "host";
  const char* const label = model ? "model" : properties.name.ends_with("fallback") ? "no GPU" : "measured";
  tasks::OffloadOptions offload;
  offload.batch = batch;
  offload.queues = threads;
  offload.memory = memory;
  tasks::OffloadEngine engine(std::move(devices), offload);
  std::vector<double> micros;
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    engine.begin({&solver, layout, 0, 0, 1e-6}, [](const tasks::EnclaveTask&, double) {});
    const double seconds = deploy(engine, patches);
    if (repeat >= 0)
      micros.push_back(1e6 * seconds / (static_cast<double>(each) * threads));  // else: warm-up
  }
  std::sort(micros.begin(), micros.end());
  fmt::print("{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.4f},{}\n", label,
             !model                ? "device"
             : options.real_kernel ? "cpu"
                                   : "given",
             properties.kind, memory, threads, batch, traits.dim, options.patch_size, each * threads,
             micros[micros.size() / 2], micros.front(), micros.back(), engine.memory().hit_rate(),
             engine.counts().deferred + engine.counts().failed);
  std::fflush(stdout);
}

void run(const Options& options) {
  const auto real = solvers::euler::make_solver(options.dimensions, {});
  const ModelledSolver modelled(*real, options.patch_time);
  const bool emulated = options.device == "host";
  if (!emulated && !real->runs_on(options.device)) {
    const std::string reason = gpu::why_missing(options.device);
    throw InputError(fmt::format("device \"{}\": {}", options.device,
                                 reason.empty() ? "the solver has no kernels for it" : reason));
  }
  const solvers::Solver& solver =
      options.real_kernel || !emulated ? *real : static_cast<const solvers::Solver&>(modelled);
  fmt::print(
      "label,kernel,device,memory,threads,batch,dim,p,patches,us_a_patch_median,us_a_patch_min,us_a_patch_"
      "max,"
      "hit_rate,troubled_batches\n");
  for (const std::string& memory : options.strategies) {
    for (const int threads : options.threads) {
      for (const int batch : options.batches) measure(options, solver, memory, threads, batch);
    }
  }
}

}  // namespace
}  // namespace meander::bench

int main(int argc, char** argv) {
  meander::bench::Options options;
  CLI::App app(
      "Time a patch that threads offload in batches, on a device or an emulated one of given costs. CSV");
  app.add_option("--device", options.device,
                 "\"host\" (emulated, with the costs below), \"cuda\", \"openmp\"")
      ->check(CLI::IsMember({"host", "cuda", "openmp"}))
      ->capture_default_str();
  app.add_option("--memory", options.strategies, "memory strategies")
      ->delimiter(',')
      ->check(CLI::IsMember(meander::gpu::strategy_names()))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads, each with a queue")
      ->delimiter(',')
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  app.add_option("--batches", options.batches, "patches a batch")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--dimensions", options.dimensions, "2 or 3")
      ->check(CLI::Range(2, 3))
      ->capture_default_str();
  app.add_option("--patch-size", options.patch_size, "p")->check(CLI::Range(3, 32))->capture_default_str();
  app.add_option("--patches", options.patches, "patches a thread, rounded to whole batches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "repeats, of which the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--real-kernel", options.real_kernel, "the CPU's Euler kernel, on the device's threads");
  const auto cost = [&](const char* name, double& value, const char* meaning) {
    app.add_option(name, value, meaning)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  cost("--patch-time", options.patch_time, "seconds of the kernel a patch");
  cost("--launch-latency", options.emulated.launch_latency, "seconds");
  cost("--copy-latency", options.emulated.copy_latency, "seconds");
  cost("--bandwidth-in", options.emulated.bandwidth_in, "bytes a second to the device; 0: unlimited");
  cost("--bandwidth-out", options.emulated.bandwidth_out, "bytes a second from the device; 0: unlimited");
  cost("--pageable-factor", options.emulated.pageable_factor,
       "how much slower copies are without pinned memory");
  cost("--allocation-stall", options.emulated.allocation_stall,
       "seconds that a raw allocation stops the device");
  cost("--page-fault", options.emulated.page_fault, "seconds for 64 KiB of managed memory");
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
