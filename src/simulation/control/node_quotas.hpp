// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// [gpu-memory] quota: a limit on the bytes of a device that all ranks of a node hold together.

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/quota.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

// The same for all ranks of a node that use the device.
using DeviceId = std::array<char, 64>;
DeviceId device_id(const gpu::Device& device);

// A quota of `bytes` for each of this rank's devices, shared by the ranks of the node that use the same
// device. Collective over the node.
std::vector<std::shared_ptr<gpu::Quota>> node_quotas(std::size_t bytes,
                                                     const std::vector<std::unique_ptr<gpu::Device>>& devices,
                                                     const parallel::Communicator& node);

}  // namespace meander::simulation
