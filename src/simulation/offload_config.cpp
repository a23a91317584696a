// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/offload_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/log.hpp"
#include "gpu/strategy.hpp"
#include "tasks/flight.hpp"

namespace meander::simulation {
namespace {

using Devices = std::vector<std::unique_ptr<gpu::Device>>;

constexpr int most_queues = 256, most_patches = 1 << 16;

bool has_cache(const std::string& strategy) {
  return strategy != "map" && strategy != "cuda-async";
}

// On emulated devices the CPU's kernels run, which every solver has.
bool runs_on(const solvers::Solver& solver, const Devices& devices) {
  return devices.empty() || devices[0]->properties().kind == "host" ||
         solver.runs_on(devices[0]->properties().kind);
}

std::string without_kernels(const solvers::Solver& solver, const std::string& kind) {
  return fmt::format("{} has no kernels for {}", solver.traits().name, kind);
}

Devices devices_of(const OffloadConfig& config, const solvers::Solver& solver) {
  if (config.make_devices) return config.make_devices();
  Devices devices = gpu::make_devices(config.device);
  if (runs_on(solver, devices)) return devices;
  if (config.device == "auto") return {};
  throw InputError(fmt::format("device \"{}\": {}; there are \"none\" and \"host\" (emulated)", config.device,
                               without_kernels(solver, devices[0]->properties().kind)));
}

tasks::OffloadOptions options_of(const OffloadConfig& config) {
  tasks::OffloadOptions options;
  options.batch = config.batch;
  options.queues = config.queues;
  options.memory = config.memory;
  options.block_kernels = config.block_kernels;
  if (config.limit > 0) options.cache.limit = static_cast<std::size_t>(config.limit);
  options.cache.trim_after = std::chrono::milliseconds(std::llround(1000 * config.trim_after));
  return options;
}

// What `body` complains of, told at the key.
template <class Body>
void at_key(const io::Fields& fields, const char* key, const Body& body) {
  std::string complaint;
  try {
    body();
    return;
  } catch (const InputError& error) {
    complaint = error.what();
  } catch (const gpu::DeviceError& error) {
    complaint = error.what();
  }
  fields.reject(key, complaint);
}

}  // namespace

void describe_offload(io::Fields& fields, OffloadConfig& config) {
  fields.text(
      "device", config.device,
      "What updates batches of patches beside the threads: `none`; `host` or `host:N`, one or N devices "
      "emulated by threads, for tests and models; `cuda`, all GPUs that are visible; `auto`, the GPUs if "
      "there "
      "are any and the solver has kernels for them. The state is the same to the bit for `none` and `host`.");
  fields.integer("batch", config.batch, "patches", "Patches that are updated in one kernel launch.",
                 io::between(1, most_patches));
  fields.integer("queues", config.queues, "", "Queues of each device: so many batches are under way at most.",
                 io::between(1, most_queues));
  fields.choice(
      "memory", config.memory, gpu::strategy_names(),
      "How memory for batches is had: allocated and freed each time (map), from a cache (pooled), managed "
      "memory without or with prefetching, pinned host memory that kernels read (zero-copy), or the "
      "driver's own pool (cuda-async).");
}

void describe_gpu_memory(io::Fields& fields, OffloadConfig& config) {
  fields.number("limit", config.limit, "bytes",
                "The most that the memory cache of a device may hold; 0: what the device has.",
                io::at_least(0));
  fields.number("trim-after", config.trim_after, "seconds",
                "Cached memory that has been idle for so long goes back to the device.", io::between(0, 1e6));
}

void check_offload(const io::Fields& offload, const io::Fields& gpu_memory, const OffloadConfig& config,
                   const solvers::Solver& solver, int patch_size) {
  Devices devices;
  at_key(offload, "device", [&] { devices = devices_of(config, solver); });
  if (config.limit > 0 && !has_cache(config.memory)) {
    gpu_memory.reject("limit", fmt::format("has no meaning for offload.memory = \"{}\", which has no cache; "
                                           "there are \"pooled\", \"unified\", \"unified-prefetch\" and "
                                           "\"zero-copy\"",
                                           config.memory));
  }
  const auto& traits = solver.traits();
  const tasks::UpdateCall call{&solver, {traits.dim, patch_size, traits.halo, traits.unknowns}};
  for (const auto& device : devices) {
    at_key(offload, "memory", [&] { gpu::make_strategy(config.memory, *device); });
    const auto has = static_cast<double>(device->properties().memory);
    if (config.limit > has) {
      gpu_memory.reject("limit", fmt::format("exceeds the memory of {}, which is {:.0f} bytes",
                                             device->properties().name, has));
    }
    const double most = config.limit > 0 ? config.limit : has;
    const auto patch = static_cast<double>(tasks::batch_bytes(call, 1));
    if (static_cast<double>(tasks::batch_bytes(call, static_cast<std::size_t>(config.batch))) > most) {
      offload.reject(
          "batch",
          fmt::format("{} patches of {:.0f} bytes each do not fit into {:.0f} bytes on {}; {:.0f} would",
                      config.batch, patch, most, device->properties().name, std::floor(most / patch)));
    }
  }
}

std::unique_ptr<tasks::OffloadEngine> make_engine(const OffloadConfig& config, const solvers::Solver& solver,
                                                  const mesh::Communicator& communicator) {
  std::unique_ptr<tasks::OffloadEngine> engine;
  communicator.agree([&] {
    Devices devices = devices_of(config, solver);
    if (config.device == "auto" && !config.make_devices && communicator.is_root()) {
      const std::string missing = gpu::why_missing("cuda");
      log::info(devices.empty() ? fmt::format("offload.device = \"auto\": no device is used; {}",
                                              missing.empty() ? without_kernels(solver, "cuda") : missing)
                                : fmt::format("offload.device = \"auto\": {} of {}", devices.size(),
                                              devices[0]->properties().name));
    }
    if (!devices.empty())
      engine = std::make_unique<tasks::OffloadEngine>(std::move(devices), options_of(config));
  });
  return engine;
}

}  // namespace meander::simulation
