// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-offload: each thread offloads a fixed number of patches in batches (the experiment of Wille,
// Weinzierl et al., ISC 2023). It prints the time per patch with all transfers, by device, equation, p,
// memory strategy, threads and batch size, and for comparison the times of link and kernel alone. For the
// emulated device, the costs of link, launch, allocation and page fault are parameters, and the kernel is
// either a given time per patch or the CPU kernel: results are those of a model, and every line is labelled
// so.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "gpu/host_device.hpp"
#include "link.hpp"
#include "modelled_solver.hpp"
#include "patches.hpp"
#include "physics/ccz4/solver.hpp"
#include "rounds.hpp"
#include "tasks/offload_engine.hpp"

namespace meander::bench {
namespace {

struct Options {
  std::vector<std::string> devices{"host"}, equations{"euler"}, strategies{"map", "pooled", "unified"};
  std::vector<int> threads{1, 2, 4, 8}, batches{1, 4, 16, 64}, dimensions{3}, patch_sizes{9};
  int patches = 256, repeats = 5;
  double seconds = 0;  // 0: no limit
  bool real_kernel = false;
  double patch_time = 2e-6;
  gpu::HostDeviceSettings device{.launch_latency = 5e-6,
                                 .bandwidth_in = 50e9,
                                 .bandwidth_out = 50e9,
                                 .copy_latency = 5e-6,
                                 .pageable_factor = 3,
                                 .allocation_stall = 1e-4,
                                 .page_fault = 2e-5};
};

// Wall time in seconds until all threads have completed their patches.
double deploy(tasks::OffloadEngine& engine, std::span<Patches> patches) {
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

// Parameters of all lines of a device, an equation and a patch size.
struct Case {
  std::string device, equation;
  const solvers::Solver& solver;
  solvers::PatchLayout layout;
  const char* label;  // "model", "measured", or "no GPU" if OpenMP has only the initial device
  bool model, given_kernel;
  Link link;
  std::vector<std::string> strategies{};  // that the device supports
  std::map<int, double> kernels{};        // kernel time alone in us per patch, by batch size
};

std::vector<std::unique_ptr<gpu::Device>> devices_of(const Options& options, const std::string& name) {
  std::vector<std::unique_ptr<gpu::Device>> devices;
  if (name == "host") {
    devices.push_back(std::make_unique<gpu::HostDevice>(options.device));
  } else {
    devices = gpu::make_devices(name);
    devices.resize(std::min<std::size_t>(devices.size(), 1));
  }
  if (devices.empty()) throw InputError(fmt::format("no device \"{}\": {}", name, gpu::why_missing(name)));
  return devices;
}

// Time of the kernel alone in us per patch; NaN if unknown.
double kernel_micros(const Options& options, const Case& c, int batch) {
  if (c.given_kernel) return 1e6 * options.patch_time;
  if (c.model) return NAN;
  std::vector<double> slot(static_cast<std::size_t>(c.layout.slot_size()));
  fill(c.layout, slot.data());
  const auto devices = devices_of(options, c.device);
  return 1e6 * kernel_seconds(*devices.front(), c.solver, c.layout, batch, slot.data()).value_or(NAN);
}

// `patches`: at least one entry per thread of the setting.
void measure(const Options& options, const Case& c, const std::string& memory, const Setting& setting,
             std::span<Patches> patches, double kernel) {
  const auto [threads, batch] = setting;
  const int each = patches.front().count();
  tasks::OffloadOptions offload;
  offload.batch = batch;
  offload.queues = threads;
  offload.memory = memory;
  tasks::OffloadEngine engine(devices_of(options, c.device), offload);
  std::vector<double> micros;
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    engine.begin({&c.solver, c.layout, 0, 0, 1e-6}, [](const tasks::EnclaveTask&, double) {});
    const double seconds = deploy(engine, patches.first(static_cast<std::size_t>(threads)));
    if (repeat >= 0)
      micros.push_back(1e6 * seconds / (static_cast<double>(each) * threads));  // repeat -1 is the warm-up
  }
  std::sort(micros.begin(), micros.end());
  const double median = micros[micros.size() / 2], link = 1e6 * link_seconds(c.link, c.layout);
  fmt::print(
      "{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.4f},{}\n", c.label,
      c.given_kernel ? "given"
      : c.model      ? "cpu"
                     : "device",
      c.device, c.equation, c.layout.dim, c.layout.p, memory, threads, batch, each * threads, median,
      micros.front(), micros.back(), 1e3 * median / static_cast<double>(c.layout.volumes()), kernel, link,
      link / median, engine.memory().hit_rate(), engine.counts().deferred + engine.counts().failed);
  std::fflush(stdout);
}

bool has_memory(const Options& options, const Case& c, const std::string& memory) {
  try {
    gpu::make_strategy(memory, *devices_of(options, c.device).front());
    return true;
  } catch (const InputError& error) {
    fmt::print(stderr, "SKIPPED {}: {}\n", memory, error.what());
    return false;
  }
}

// One round of a case with all memory strategies. Patches of one batch size are reused, because their
// initialisation takes longer than most settings.
void sweep(const Options& options, Case& c, const std::vector<Setting>& round,
           const std::function<bool()>& in_time) {
  std::map<int, std::vector<Patches>> patches;  // by patches per thread
  for (const std::string& memory : c.strategies) {
    for (const Setting& setting : round) {
      if (!in_time()) continue;
      // Full batches only: the benchmark does not update remaining patches on the CPU.
      const int each = std::max(1, options.patches / setting.batch) * setting.batch;
      auto& of_threads = patches[each];
      while (of_threads.size() < static_cast<std::size_t>(setting.threads))
        of_threads.emplace_back(c.layout, each);
      auto [kernel, is_new] = c.kernels.try_emplace(setting.batch, 0.0);
      if (is_new) kernel->second = kernel_micros(options, c, setting.batch);
      measure(options, c, memory, setting, of_threads, kernel->second);
    }
  }
}

std::unique_ptr<solvers::Solver> solver_of(const std::string& equation, int dimensions) {
  if (equation == "euler") return euler::make_solver(dimensions, {});
  return dimensions == 3 ? ccz4::make_solver({}) : nullptr;
}

void run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  int left_out = 0;
  const auto in_time = [&] {
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool is = options.seconds == 0 || passed < options.seconds;
    left_out += is ? 0 : 1;
    return is;
  };
  fmt::print(
      "label,kernel,device,equation,dim,p,memory,threads,batch,patches,us_a_patch_median,us_a_patch_min,"
      "us_a_patch_max,ns_a_volume_median,kernel_us_a_patch,link_us_a_patch,of_link,hit_rate,troubled_"
      "batches\n");
  std::vector<std::unique_ptr<solvers::Solver>> solvers;
  std::vector<Case> cases;
  for (const std::string& name : options.devices) {
    const auto probed = devices_of(options, name);
    const Link link = measure_link(*probed.front());
    fmt::print(stderr, "{}: pinned memory, concurrently {:.1f} GB/s to and {:.1f} GB/s from the device\n",
               probed.front()->properties().name, 1e-9 * link.in, 1e-9 * link.out);
    const bool model = name == "host", given = model && !options.real_kernel;
    const char* const label = model                                                     ? "model"
                              : probed.front()->properties().name.ends_with("fallback") ? "no GPU"
                                                                                        : "measured";
    for (const std::string& equation : options.equations) {
      for (const int dimensions : options.dimensions) {
        auto real = solver_of(equation, dimensions);
        if (!real) continue;
        if (!model && !real->runs_on(name)) {
          fmt::print(stderr, "SKIPPED {} in {}D: no kernels for {}\n", equation, dimensions, name);
          continue;
        }
        solvers.push_back(std::move(real));
        if (given) solvers.push_back(std::make_unique<ModelledSolver>(*solvers.back(), options.patch_time));
        const solvers::Solver& solver = *solvers.back();
        for (const int p : options.patch_sizes) {
          const auto& traits = solver.traits();
          solvers::PatchLayout layout(traits.dim, p, traits.halo, traits.unknowns);
          layout.point_values = traits.point_values();
          cases.push_back({name, equation, solver, layout, label, model, given, link});
        }
      }
    }
    for (const std::string& memory : options.strategies) {
      if (cases.empty() || !has_memory(options, cases.back(), memory)) continue;
      for (Case& c : cases) {
        if (c.device == name) c.strategies.push_back(memory);
      }
    }
  }
  for (const auto& round : rounds_of(options.threads, options.batches)) {
    for (Case& c : cases) sweep(options, c, round, in_time);
  }
  if (left_out > 0) fmt::print(stderr, "SKIPPED {} settings: time limit reached\n", left_out);
}

}  // namespace
}  // namespace meander::bench

int main(int argc, char** argv) {
  meander::bench::Options options;
  CLI::App app(
      "Measures the time per patch that threads offload in batches, on GPUs or on an emulated device of "
      "given "
      "costs (a model). Prints CSV");
  app.add_option("--devices", options.devices, "host (emulated), cuda, openmp")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--equations", options.equations, "euler, ccz4")
      ->delimiter(',')
      ->check(CLI::IsMember({"euler", "ccz4"}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "time limit after which no setting is started; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--memory", options.strategies, "memory strategies")
      ->delimiter(',')
      ->check(CLI::IsMember(meander::gpu::strategy_names()))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads, each with its own queue")
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
