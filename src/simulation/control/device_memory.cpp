// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/size_class.hpp"
#include "parallel/shared_window.hpp"

namespace meander::simulation {

namespace {

// The message at the place of the key in the input.
std::string at_origin_of_key(const Config& config, const std::string& key, const std::string& what) {
  io::Origin origin;
  for (const Key& one : config.keys) {
    if (one.name == key) origin = one.origin;
  }
  return fmt::format("{}{}{}{}{}{}", origin.where, origin.where.empty() ? "" : ": ", key, what,
                     origin.excerpt.empty() ? "" : "\n", origin.excerpt);
}

// With the large arrays in blocks of a memory cache, and without the blocks' excess for the small ones: not
// more than it will be.
double bytes_in_cache(const mesh::DeviceMemory& memory) {
  std::size_t bytes = memory.messages + memory.tables + memory.scratch + memory.field;
  for (const std::size_t part : {memory.slots, memory.next}) {
    const bool is_in_class = part > 0 && part <= gpu::largest_class_bytes;
    bytes += is_in_class ? gpu::class_bytes(gpu::size_class(part)) : part;
  }
  return static_cast<double>(bytes);
}

struct Wanted {
  DeviceId device;
  double bytes;
};

}  // namespace

std::string text_of(const mesh::DeviceMemory& memory) {
  std::string text = fmt::format("{} bytes: {} for slots", memory.total(), memory.slots);
  if (memory.next > 0) text += fmt::format(", {} for new interiors", memory.next);
  text += fmt::format(", {} for flux registers and messages, {} for tables, {} for scratch", memory.messages,
                      memory.tables, memory.scratch);
  return memory.field > 0 ? text + fmt::format(", {} for self-gravity", memory.field) : text;
}

void throw_out_of_memory(const Config& config, const gpu::OutOfMemory& error) {
  const std::string message = fmt::format("out of memory for the initial mesh: {}", error.what());
  const double limit = config.offload.limit, quota = config.offload.quota;
  const bool limited = limit > 0 && (quota == 0 || limit <= quota);
  const double bound = limited ? limit : quota;
  if (error.quota > 0 && static_cast<double>(error.quota) <= bound)
    throw InputError(at_origin_of_key(config, limited ? "gpu-memory.limit" : "gpu-memory.quota",
                                      " is too small: " + message));
  throw Failure(message);
}

void check_device_memory(const Config& config, const tasks::ResidentDevice* device,
                         const std::optional<mesh::DeviceMemory>& wanted,
                         const parallel::Communicator& communicator) {
  const parallel::Communicator node = communicator.of_node();
  std::vector<Wanted> own;
  if (device != nullptr) own.push_back({device_id(*device->device), bytes_in_cache(wanted.value())});
  const std::vector<Wanted> all = node.all_gather<Wanted>(std::span<const Wanted>(own));
  communicator.agree([&] {
    if (device == nullptr) return;
    double together = 0;
    int ranks = 0;
    for (const Wanted& one : all) {
      if (one.device != own.front().device) continue;
      together += one.bytes;
      ++ranks;
    }
    const gpu::DeviceProperties& properties = device->device->properties();
    const auto require = [&](double bytes, double there, const std::string& bound) {
      if (bytes <= there) return;
      throw InputError(at_origin_of_key(
          config, "gpu-memory.patches",
          fmt::format(": the mesh wants {:.0f} bytes on {}{} ({} on this rank), but {:.0f} bytes are there "
                      "({}); use more devices, a coarser mesh, or patches = \"host\"",
                      bytes, properties.name, ranks > 1 ? fmt::format(" for {} ranks", ranks) : "",
                      text_of(*wanted), there, bound)));
    };
    if (config.offload.limit > 0) require(own.front().bytes, config.offload.limit, "gpu-memory.limit");
    if (config.offload.quota > 0) require(together, config.offload.quota, "gpu-memory.quota");
    // All ranks ask before any of them takes more.
    const double held = static_cast<double>(device->memory->stats().held_bytes);
    const double free = static_cast<double>(device->device->available()) + held;
    require(together, free - static_cast<double>(properties.reserved), "its free memory");
  });
}

namespace {

using Devices = std::vector<std::unique_ptr<gpu::Device>>;

// A quota in memory that the ranks of a node share.
class NodeQuota final : public gpu::Quota {
 public:
  NodeQuota(std::shared_ptr<parallel::SharedWindow> window, std::size_t line, std::size_t limit)
      : window_(std::move(window)), quota_(*(static_cast<Line*>(window_->data()) + line), limit) {}
  bool take(std::size_t bytes) noexcept override { return quota_.take(bytes); }
  void give(std::size_t bytes) noexcept override { quota_.give(bytes); }
  std::size_t in_use() const noexcept override { return quota_.in_use(); }
  std::size_t limit() const noexcept override { return quota_.limit(); }
  void ask() noexcept override { quota_.ask(); }
  std::uint64_t asked() const noexcept override { return quota_.asked(); }

  // A line of the window, one for each device. It is initially zero.
  struct alignas(64) Line : gpu::QuotaState {};

 private:
  const std::shared_ptr<parallel::SharedWindow> window_;
  gpu::SharedQuota quota_;
};

}  // namespace

DeviceId device_id(const gpu::Device& device) {
  const gpu::DeviceProperties& properties = device.properties();
  const std::string& name = properties.id.empty() ? properties.name : properties.id;
  DeviceId id{};
  std::memcpy(id.data(), name.data(), std::min(name.size(), id.size() - 1));
  return id;
}

std::vector<std::shared_ptr<gpu::Quota>> node_quotas(std::size_t bytes, const Devices& devices,
                                                     const parallel::Communicator& node) {
  // A window is released collectively: ranks without devices take no part in it.
  const parallel::Communicator sharing = node.split(devices.empty() ? 0 : 1);
  if (devices.empty()) return {};
  std::vector<DeviceId> own;
  for (const auto& device : devices) own.push_back(device_id(*device));
  std::vector<DeviceId> all = sharing.all_gather<DeviceId>(std::span<const DeviceId>(own));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto window = std::make_shared<parallel::SharedWindow>(sharing, all.size() * sizeof(NodeQuota::Line));
  std::vector<std::shared_ptr<gpu::Quota>> quotas;
  for (const DeviceId& id : own) {
    const auto line = static_cast<std::size_t>(std::find(all.begin(), all.end(), id) - all.begin());
    quotas.push_back(std::make_shared<NodeQuota>(window, line, bytes));
  }
  return quotas;
}

}  // namespace meander::simulation
