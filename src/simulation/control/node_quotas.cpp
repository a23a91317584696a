// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/node_quotas.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "parallel/shared_window.hpp"

namespace meander::simulation {
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
