// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// gpu-memory.patches = "device": which inputs may live on a device.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "io/key_table.hpp"
#include "mesh/boundary_condition.hpp"
#include "simulation/config/offload_config.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// Throws InputError at the key that does not allow it. `why_none`: why device "auto" selects none.
void check_resident(const io::KeyTable& offload, const io::KeyTable& gpu_memory, const OffloadConfig& config,
                    const solvers::Solver& solver, std::span<const mesh::BoundaryCondition* const> boundaries,
                    const std::vector<std::unique_ptr<gpu::Device>>& devices, const std::string& why_none);

}  // namespace meander::simulation
