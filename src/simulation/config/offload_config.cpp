// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/offload_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "base/log.hpp"
#include "gpu/size_class.hpp"
#include "gpu/strategy.hpp"
#include "offload/batch_execution.hpp"
#include "offload/engine.hpp"
#include "parallel/neighbour_messages.hpp"
#include "simulation/control/device_memory.hpp"
#include "tasks/resident_device.hpp"

namespace meander::simulation {

namespace {

using Devices = std::vector<std::unique_ptr<gpu::Device>>;

constexpr int most_queues = 256, most_patches = 1 << 16, least_alignment = 64, most_alignment = 1 << 20;

// Why device "auto" selects none; empty if it selects devices.
std::string why_no_gpu(const solvers::Solver& solver) {
  const std::string missing = gpu::why_missing("cuda");
  if (!missing.empty()) return missing;
  return solver.runs_on("cuda") ? "" : "the solver has no CUDA kernels for this scheme";
}

bool has_cache(const std::string& strategy) {
  return strategy != "map" && strategy != "cuda-async";
}

Devices devices_of(const OffloadConfig& config, const solvers::Solver& solver) {
  if (config.make_devices) return config.make_devices();
  if (config.device == "auto") return why_no_gpu(solver).empty() ? gpu::make_devices("cuda") : Devices{};
  Devices devices = gpu::make_devices(config.device);
  for (const auto& device : devices) {
    const std::string& kind = device->properties().kind;
    if (kind == "host" || solver.runs_on(kind)) continue;
    throw InputError(
        fmt::format("device \"{}\": the solver has no kernels for it with this scheme; there are \"none\" "
                    "and \"host\" (emulated)",
                    config.device));
  }
  return devices;
}

offload::Options options_of(const OffloadConfig& config) {
  offload::Options options;
  options.batch = config.batch;
  options.queues = config.queues;
  options.memory = config.memory;
  options.block_kernels = config.block_kernels;
  if (config.limit > 0) options.cache.limit = static_cast<std::size_t>(config.limit);
  options.cache.alignment = static_cast<std::size_t>(config.alignment);
  options.abort_without_memory = config.fallback == "abort";
  options.pinned_fallback = config.fallback == "pinned";
  options.patches = config.patches == "pinned"    ? gpu::Space::pinned
                    : config.patches == "unified" ? gpu::Space::managed
                                                  : gpu::Space::host;
  options.split = {config.split == "measured", config.device_share};
  options.cache.trim_after = std::chrono::milliseconds(std::llround(1000 * config.trim_after));
  return options;
}

// Keeps the devices of one rank of a node: dealt out round-robin, or shared if there are fewer devices than
// ranks.
//
// If the batch system has already assigned devices, ranks see different ones; only ranks that see the same
// devices share them.
void keep_by_local_rank(Devices& devices, const parallel::Communicator& node) {
  std::string names;
  for (const auto& device : devices) names += device->properties().id + device->properties().name + '\n';
  const std::uint64_t own = std::hash<std::string>()(names);
  const auto seen = node.all_gather<std::uint64_t>(std::span<const std::uint64_t>(&own, 1));
  const auto ranks = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), own));
  const auto rank = static_cast<std::size_t>(std::count(seen.begin(), seen.begin() + node.rank(), own));
  const std::size_t count = devices.size();
  Devices kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (count >= ranks ? i % ranks == rank : i == rank % count) kept.push_back(std::move(devices[i]));
  }
  devices = std::move(kept);
}

// Rejects the key with the message of an exception of `body`.
template <class Body>
void at_key(const io::KeyTable& keys, const char* key, const Body& body) {
  std::string complaint;
  try {
    body();
    return;
  } catch (const InputError& error) {
    complaint = error.what();
  } catch (const gpu::DeviceError& error) {
    complaint = error.what();
  }
  keys.reject(key, complaint);
}

}  // namespace

void describe_offload(io::KeyTable& keys, OffloadConfig& config) {
  keys.text(
      "device", config.device,
      "The devices that update batches of patches in addition to the threads: `none`; `host` or `host:N`, "
      "one or N devices emulated by threads, for tests and models; `cuda`, GPUs, if the scheme has kernels "
      "for them; `openmp`, the devices of OpenMP, in builds with OpenMP offloading; `auto`, GPUs if there "
      "are any and the scheme has kernels for them, else none. Results are bitwise identical with emulated "
      "devices, and with GPUs if the scheme calls no library function.");
  keys.integer("batch", config.batch, "patches",
               "Number of patches in a batch, which one kernel launch updates.",
               io::between(1, most_patches));
  keys.integer("queues", config.queues, "",
               "Queues of each device, the maximum number of its batches in flight.",
               io::between(1, most_queues));
  keys.choice("memory", config.memory, gpu::strategy_names(),
              "Memory of the batches: allocated and freed for each batch (map), from a cache (pooled), "
              "managed memory without or with prefetching (unified, unified-prefetch), pinned host memory "
              "that kernels read (zero-copy), or the driver's pool (cuda-async).");
  keys.choice("gpus", config.gpus, {"by-local-rank", "all"},
              "The devices of a rank: the devices of a node are dealt out to its ranks, and shared if there "
              "are more ranks than devices (by-local-rank), or every rank uses all of them (all).");
  keys.choice("split", config.split, {"measured", "fixed"},
              "Split of the enclaves between devices and threads: by the rates measured in the last steps, "
              "so that both finish at the same time, or by `device-share`.");
  keys.number("device-share", config.device_share, "",
              "For split = `fixed`: the share of the enclaves that devices update, in whole batches.",
              io::between(0, 1));
}

void describe_gpu_memory(io::KeyTable& keys, OffloadConfig& config) {
  keys.choice("patches", config.patches, {"host", "pinned", "unified", "device"},
              "Memory of all patches if a device is used: pageable (host), pinned, from which batches are "
              "copied directly to the device, managed by the driver (unified), or the memory of one device a "
              "rank, on which all steps then run (device); the keys of batches must then have their "
              "defaults.");
  keys.number("limit", config.limit, "bytes",
              "Maximum size of a rank's memory cache of a device; 0: the memory of the device.",
              io::at_least(0));
  keys.number("quota", config.quota, "bytes",
              "Maximum total size of the memory caches of all ranks that share a device; 0: no quota.",
              io::at_least(0));
  keys.integer("alignment", config.alignment, "bytes", "Alignment of all cached blocks, a power of two.",
               io::between(least_alignment, most_alignment));
  keys.choice("fallback", config.fallback, {"batch", "pinned", "abort"},
              "Treatment of a batch without device memory: it waits, is retried in ever smaller batches, "
              "finally on the CPU (batch); it uses pinned host memory, which kernels access over the link "
              "(pinned); the run ends with an error that gives the memory figures (abort).");
  keys.number("trim-after", config.trim_after, "seconds",
              "Idle time after which cached memory is returned to the device.", io::between(0, 1e6));
  keys.choice(
      "messages", config.messages, {"auto", "host", "device"},
      "With patches = \"device\", memory of the messages between ranks: that of the host, which the "
      "device copies to and from (host), or that of the devices, which MPI accesses directly (device); "
      "auto: device if MPI says that it accesses memory of CUDA devices.");
}

namespace {

// Checks the keys of the memory cache.
void check_cache_keys(const io::KeyTable& keys, const OffloadConfig& config) {
  if (!std::has_single_bit(static_cast<unsigned>(config.alignment)))
    keys.reject("alignment", fmt::format("must be a power of two, but is {}; {} would be", config.alignment,
                                         std::bit_ceil(static_cast<unsigned>(config.alignment))));
  if (has_cache(config.memory)) return;
  const std::pair<const char*, bool> cache_keys[] = {
      {"limit", config.limit > 0},
      {"quota", config.quota > 0},
      {"alignment", config.alignment != OffloadConfig{}.alignment},
      {"fallback", config.fallback == "pinned"}};
  for (const auto& [key, given] : cache_keys) {
    if (!given) continue;
    keys.reject(key, fmt::format("has no meaning for offload.memory = \"{}\", which has no cache; there are "
                                 "\"pooled\", \"unified\", \"unified-prefetch\" and \"zero-copy\"",
                                 config.memory));
  }
}

}  // namespace

void check_offload(const io::KeyTable& offload, const io::KeyTable& gpu_memory, const OffloadConfig& config,
                   const solvers::Solver& solver, int patch_size,
                   std::span<const mesh::BoundaryCondition* const> boundaries) {
  Devices devices;
  at_key(offload, "device", [&] { devices = devices_of(config, solver); });
  if (config.patches_on_device())
    check_resident(offload, gpu_memory, config, solver, boundaries, devices, why_no_gpu(solver));
  else if (config.messages == "device")
    gpu_memory.reject(
        "messages",
        fmt::format("\"device\" has no meaning for patches = \"{}\"; patches = \"device\" uses it",
                    config.patches));
  check_cache_keys(gpu_memory, config);
  if (config.device_share != OffloadConfig{}.device_share && config.split != "fixed")
    offload.reject("device-share", "has no meaning for split = \"measured\"; split = \"fixed\" uses it");
  const offload::UpdateCall call{&solver, solver.traits().layout(patch_size)};
  for (const auto& device : devices) {
    at_key(offload, "memory", [&] { gpu::make_strategy(config.memory, *device); });
    const auto has = static_cast<double>(device->properties().memory);
    for (const auto& [key, bytes] : {std::pair{"limit", config.limit}, std::pair{"quota", config.quota}}) {
      if (bytes > has) {
        gpu_memory.reject(key, fmt::format("exceeds the memory of {}, which is {:.0f} bytes",
                                           device->properties().name, has));
      }
    }
    if (config.patches == "unified" && !device->properties().managed) {
      gpu_memory.reject("patches",
                        fmt::format("\"unified\" does not exist on {}; there are \"host\" and \"pinned\"",
                                    device->properties().name));
    }
    if (config.patches_on_device()) continue;  // no batches
    const auto block = [&](int patches) {
      const std::size_t bytes = offload::batch_bytes(call, static_cast<std::size_t>(patches));
      const bool rounded = has_cache(config.memory) && bytes <= gpu::largest_class_bytes;
      if (!rounded) return static_cast<double>(bytes);
      const double padding = config.alignment > 256 ? config.alignment : 0;
      return padding + static_cast<double>(gpu::class_bytes(gpu::size_class(bytes)));
    };
    double most = has;
    for (const auto& [key, bytes] : {std::pair{"limit", config.limit}, std::pair{"quota", config.quota}}) {
      if (bytes > 0 && block(1) > bytes)
        gpu_memory.reject(
            key, fmt::format("must be at least the {:.0f} bytes of one patch, but is {}", block(1), bytes));
      most = bytes > 0 ? std::min(most, bytes) : most;
    }
    int fitting = config.batch;
    while (fitting > 0 && block(fitting) > most) --fitting;
    if (fitting < config.batch) {
      offload.reject("batch", fmt::format("{} patches of {} bytes each require a block of {:.0f} bytes, "
                                          "which does not fit into {:.0f} bytes on {}; {} patches fit",
                                          config.batch, offload::batch_bytes(call, 1), block(config.batch),
                                          most, device->properties().name, fitting));
    }
  }
}

std::unique_ptr<offload::Engine> make_engine(const OffloadConfig& config, const solvers::Solver& solver,
                                             const parallel::Communicator& communicator) {
  std::unique_ptr<offload::Engine> engine;
  if (config.patches_on_device()) return engine;
  Devices devices;
  communicator.agree([&] {
    devices = devices_of(config, solver);
    if (config.device != "auto" || config.make_devices || !communicator.is_root()) return;
    if (devices.empty()) {
      log::info(fmt::format("offload.device = \"auto\": no device is used; {}", why_no_gpu(solver)));
    } else {
      log::info(fmt::format("offload.device = \"auto\": {} device{}, the first is {}", devices.size(),
                            devices.size() == 1 ? "" : "s", devices.front()->properties().name));
    }
  });
  // All ranks have the same input, but not all need have devices.
  offload::Options options = options_of(config);
  if (config.gpus == "by-local-rank" || config.quota > 0) {
    const parallel::Communicator node = communicator.of_node();
    if (config.gpus == "by-local-rank") keep_by_local_rank(devices, node);
    if (config.quota > 0) options.quotas = node_quotas(static_cast<std::size_t>(config.quota), devices, node);
  }
  communicator.agree([&] {
    if (!devices.empty()) engine = std::make_unique<offload::Engine>(std::move(devices), options);
  });
  return engine;
}

namespace {

// Whether MPI says that it accesses memory of such devices.
bool has_messages_in_place(const std::string& kind) {
  return kind == "cuda" && parallel::mpi_accesses_cuda_memory();
}

}  // namespace

std::unique_ptr<tasks::ResidentDevice> make_resident_device(const OffloadConfig& config,
                                                            const solvers::Solver& solver,
                                                            const parallel::Communicator& communicator) {
  std::unique_ptr<tasks::ResidentDevice> resident;
  if (!config.patches_on_device()) return resident;
  Devices devices;
  communicator.agree([&] { devices = devices_of(config, solver); });
  const parallel::Communicator node = communicator.of_node();
  keep_by_local_rank(devices, node);
  std::vector<std::shared_ptr<gpu::Quota>> quotas;
  if (config.quota > 0) quotas = node_quotas(static_cast<std::size_t>(config.quota), devices, node);
  communicator.agree([&] {
    if (devices.empty()) return;
    resident = std::make_unique<tasks::ResidentDevice>(std::move(devices.front()), options_of(config).cache,
                                                       quotas.empty() ? nullptr : quotas.front());
    resident->messages_in_place =
        config.messages == "device" ||
        (config.messages == "auto" && has_messages_in_place(resident->device->properties().kind));
  });
  return resident;
}

namespace {

// Rejects a key of batches unless it has its default, which resolved inputs contain.
template <class Value>
void require_default(const io::KeyTable& keys, const char* key, const Value& value, const Value& standard) {
  if (value == standard) return;
  keys.reject(key, fmt::format("has no meaning for gpu-memory.patches = \"device\", where no batches travel; "
                               "leave it out, or set its default {}",
                               keys.find(key)->default_text));
}

}  // namespace

void check_resident(const io::KeyTable& offload, const io::KeyTable& gpu_memory, const OffloadConfig& config,
                    const solvers::Solver& solver, std::span<const mesh::BoundaryCondition* const> boundaries,
                    const std::vector<std::unique_ptr<gpu::Device>>& devices, const std::string& why_none) {
  const OffloadConfig standard;
  require_default(offload, "batch", config.batch, standard.batch);
  require_default(offload, "queues", config.queues, standard.queues);
  require_default(offload, "memory", config.memory, standard.memory);
  require_default(offload, "split", config.split, standard.split);
  require_default(offload, "device-share", config.device_share, standard.device_share);
  require_default(gpu_memory, "fallback", config.fallback, standard.fallback);

  for (const auto& device : devices) {
    const gpu::DeviceProperties& properties = device->properties();
    // The emulated device's memory is that of the host.
    if (config.messages != "device" || properties.kind == "host" || has_messages_in_place(properties.kind))
      continue;
    gpu_memory.reject("messages",
                      fmt::format("\"device\" requires an MPI library that accesses the memory of {}, "
                                  "which this one does not say; there is \"host\"",
                                  properties.name));
  }
  const auto reject = [&](const std::string& why) { gpu_memory.reject("patches", why); };
  if (devices.empty() && config.device == "none")
    reject(
        "\"device\" requires a device, but offload.device is \"none\"; \"cuda\" uses GPUs, and \"host\" "
        "emulates a device; without a device there is patches = \"host\"");
  if (devices.empty() && config.device == "auto")
    reject(
        fmt::format("\"device\" requires a device, but offload.device = \"auto\" finds none ({}); "
                    "without a device there is patches = \"host\"",
                    why_none));
  for (const auto& device : devices) {
    const gpu::DeviceProperties& properties = device->properties();
    if (solver.runs_on(properties.kind) && solver.resides_on(properties.kind)) continue;
    reject(
        fmt::format("{} has no kernels for patches that live on {}; batches of patches from \"host\" or "
                    "\"pinned\" memory {}",
                    solver.traits().name, properties.name,
                    solver.runs_on(properties.kind) ? "run there" : "run on the CPU"));
  }
  for (const mesh::BoundaryCondition* condition : boundaries) {
    using Condition = mesh::BoundaryCondition;
    if (condition->source != Condition::Source::state || condition->on_device != Condition::OnDevice::none)
      continue;
    reject(
        fmt::format("the boundary condition '{}' has no form for devices; those of any equation have one, "
                    "and patches = \"host\" allows all",
                    condition->name));
  }
}

}  // namespace meander::simulation
