// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/resident_config.hpp"

#include <fmt/format.h>

namespace meander::simulation {
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
