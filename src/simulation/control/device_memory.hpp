// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether a mesh fits into the memory of the devices on which its patches are to live.

#include <optional>
#include <string>

#include "gpu/resource.hpp"
#include "mesh/device_patches.hpp"
#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "tasks/resident_device.hpp"

namespace meander::simulation {

// Throws InputError at gpu-memory.patches, with the bytes wanted and there, if the mesh exceeds the limit, the
// quota or the memory of a device; ranks of a node that share a device count together. `device` and `wanted`:
// null and nothing on a rank without device. Collective.
void check_device_memory(const Config& config, const tasks::ResidentDevice* device,
                         const std::optional<mesh::DeviceMemory>& wanted,
                         const parallel::Communicator& communicator);

// Throws about a failed allocation on a device while a simulation was set up: InputError at gpu-memory.limit or
// gpu-memory.quota if that bounds what the device may hold, else Failure.
[[noreturn]] void throw_out_of_memory(const Config& config, const gpu::OutOfMemory& error);

// "1234 bytes (1000 slots, ...)".
std::string text_of(const mesh::DeviceMemory& memory);

}  // namespace meander::simulation
