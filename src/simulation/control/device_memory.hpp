// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory of devices: whether a mesh fits into it, and quotas of the ranks of a node.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/quota.hpp"
#include "gpu/resource.hpp"
#include "mesh/device_patches.hpp"
#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "tasks/resident_device.hpp"

namespace meander::simulation {

// For patches that are to live on devices. Throws InputError at gpu-memory.patches, with the bytes wanted and there, if the mesh exceeds the limit, the
// quota or the memory of a device; ranks of a node that share a device count together. `device` and `wanted`:
// null and nothing on a rank without device. Collective.
void check_device_memory(const Config& config, const tasks::ResidentDevice* device,
                         const std::optional<mesh::DeviceMemory>& wanted,
                         const parallel::Communicator& communicator);

// Throws about a failed allocation on a device while a simulation was set up: InputError at gpu-memory.limit or
// gpu-memory.quota if that bounds what the device may hold, else Failure.
[[noreturn]] void throw_out_of_memory(const Config& config, const gpu::OutOfMemory& error);

// The simulation that make() returns, which is set up there; throws throw_out_of_memory()'s errors.
template <class Make>
auto in_device_memory(const Config& config, const Make& make) {
  try {
    return make();
  } catch (const gpu::OutOfMemory& error) {
    throw_out_of_memory(config, error);
  }
}

// "1234 bytes (1000 slots, ...)".
std::string text_of(const mesh::DeviceMemory& memory);

// [gpu-memory] quota: a limit on the bytes of a device that all ranks of a node hold together.

// The same for all ranks of a node that use the device.
using DeviceId = std::array<char, 64>;
DeviceId device_id(const gpu::Device& device);

// A quota of `bytes` for each of this rank's devices, shared by the ranks of the node that use the same
// device. Collective over the node.
std::vector<std::shared_ptr<gpu::Quota>> node_quotas(std::size_t bytes,
                                                     const std::vector<std::unique_ptr<gpu::Device>>& devices,
                                                     const parallel::Communicator& node);

}  // namespace meander::simulation
