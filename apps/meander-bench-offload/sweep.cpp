// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "cases.hpp"
#include "kernels.hpp"
#include "link.hpp"
#include "modelled_solver.hpp"
#include "offload/engine.hpp"
#include "patches.hpp"
#include "rounds.hpp"

namespace meander::bench {
namespace {

// Wall time in seconds until all threads have completed their patches.
double deploy(offload::Engine& engine, std::span<Patches> patches) {
  std::vector<offload::TaskPool> pools(patches.size());
  for (std::size_t i = 0; i < pools.size(); ++i) patches[i].put_into(pools[i]);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> team;
    for (offload::TaskPool& pool : pools) {
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
  std::vector<std::string> strategies{};       // that the device supports
  std::optional<KernelTime> kernel_time = {};  // of the kernel alone
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

std::optional<KernelTime> measure_kernel(const Options& options, const Case& c) {
  std::vector<double> slot(static_cast<std::size_t>(c.layout.slot_size()));
  fill(c.layout, slot.data());
  const auto devices = devices_of(options, c.device);
  try {
    return kernel_time(*devices.front(), c.solver, c.layout, options.kernel_patches, slot.data());
  } catch (const gpu::OutOfMemory& error) {
    fmt::print(stderr, "SKIPPED the kernel alone, {} in {}D, p = {}: {}\n", c.equation, c.layout.dim,
               c.layout.p, error.what());
    return std::nullopt;
  }
}

void print_kernel(const Options& options, const Case& c) {
  const auto time = measure_kernel(options, c);
  if (!time) return;
  const auto volumes = static_cast<double>(c.layout.volumes());
  const double bytes = least_bytes(c.solver, c.layout);
  fmt::print("{},{},{},{},{},{},{},{:.4f},{:.4e},{:.1f},{:.2f}\n", c.label, c.device, c.equation,
             c.layout.dim, c.layout.p, c.solver.traits().stages, time->patches, 1e9 * time->seconds / volumes,
             volumes / time->seconds, bytes / volumes, 1e-9 * bytes / time->seconds);
  std::fflush(stdout);
}

// `patches`: at least one entry per thread of the setting.
void measure(const Options& options, const Case& c, const std::string& memory, const Setting& setting,
             std::span<Patches> patches) {
  const auto [threads, batch] = setting;
  const int each = patches.front().count();
  offload::Options offload;
  offload.batch = batch;
  offload.queues = options.queues_per_thread * threads;
  offload.memory = memory;
  offload::Engine engine(devices_of(options, c.device), offload);
  std::vector<double> micros;
  double spent = 0;
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    engine.begin({&c.solver, c.layout, 0, 0, 1e-6}, [](const offload::EnclaveTask&, double) {});
    const double seconds = deploy(engine, patches.first(static_cast<std::size_t>(threads)));
    if (repeat >= 0)
      micros.push_back(1e6 * seconds / (static_cast<double>(each) * threads));  // repeat -1 is the warm-up
    spent += seconds;
    if (repeat >= 0 && options.setting_seconds > 0 && spent > options.setting_seconds) break;
  }
  std::sort(micros.begin(), micros.end());
  const double median = micros[micros.size() / 2], link = 1e6 * link_seconds(c.link, c.layout);
  const double kernel = 1e6 * (c.given_kernel  ? options.patch_time
                               : c.kernel_time ? c.kernel_time->seconds
                                               : NAN);
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
        of_threads.emplace_back(c.layout, c.solver.traits().stage_blocks, each);
      measure(options, c, memory, setting, of_threads);
    }
  }
}

// All that are chosen, and the solvers that they refer to.
struct Cases {
  std::vector<std::unique_ptr<solvers::Solver>> solvers;
  std::vector<Case> list;
};

void add_cases(const Options& options, const std::string& name, Cases& cases) {
  const auto probed = devices_of(options, name);
  const bool model = name == "host", given = model && !options.real_kernel && !options.kernels_only;
  const char* const label = model                                                     ? "model"
                            : probed.front()->properties().name.ends_with("fallback") ? "no GPU"
                                                                                      : "measured";
  Link link;
  if (!options.kernels_only) {
    link = measure_link(*probed.front());
    fmt::print(stderr, "{}: pinned memory, concurrently {:.1f} GB/s to and {:.1f} GB/s from the device\n",
               probed.front()->properties().name, 1e-9 * link.in, 1e-9 * link.out);
  }
  for (const std::string& equation : options.equations) {
    for (const int dimensions : options.dimensions) {
      auto real = solver_of(equation, dimensions);
      if (!real) continue;
      if (!model && !real->runs_on(name)) {
        fmt::print(stderr, "SKIPPED {} in {}D: no kernels for {}\n", equation, dimensions, name);
        continue;
      }
      cases.solvers.push_back(std::move(real));
      if (given)
        cases.solvers.push_back(std::make_unique<ModelledSolver>(*cases.solvers.back(), options.patch_time));
      const solvers::Solver& solver = *cases.solvers.back();
      for (const int p : options.patch_sizes)
        cases.list.push_back({name, equation, solver, solver.traits().layout(p), label, model, given, link});
    }
  }
  if (options.kernels_only) return;
  for (const std::string& memory : options.strategies) {
    if (cases.list.empty() || !has_memory(options, cases.list.back(), memory)) continue;
    for (Case& c : cases.list) {
      if (c.device == name) c.strategies.push_back(memory);
    }
  }
  for (Case& c : cases.list) {
    if (c.device == name && !c.model) c.kernel_time = measure_kernel(options, c);
  }
}

}  // namespace

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
      "{}\n",
      options.kernels_only
          ? "label,device,equation,dim,p,stages,patches,ns_a_volume_and_stage,volumes_a_second,"
            "least_bytes_a_volume,least_gb_a_second"
          : "label,kernel,device,equation,dim,p,memory,threads,batch,patches,us_a_patch_median,us_a_patch_"
            "min,"
            "us_a_patch_max,ns_a_volume_median,kernel_us_a_patch,link_us_a_patch,of_link,hit_rate,troubled_"
            "batches");
  std::fflush(stdout);
  Cases cases;
  for (const std::string& name : options.devices) add_cases(options, name, cases);
  if (options.kernels_only) {
    for (const Case& c : cases.list) {
      if (in_time()) print_kernel(options, c);
    }
  } else {
    for (const auto& round : rounds_of(options.threads, options.batches)) {
      for (Case& c : cases.list) sweep(options, c, round, in_time);
    }
  }
  if (left_out > 0) fmt::print(stderr, "SKIPPED {} settings: time limit reached\n", left_out);
}

}  // namespace meander::bench
