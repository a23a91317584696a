// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// [gpu-memory] quota: bytes of a device that the ranks of a node share, live.

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/quota.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

// A quota of so many bytes for each of this rank's devices, shared by the ranks of the node that use the same
// one. Collective over the node.
std::vector<std::shared_ptr<gpu::Quota>> node_quotas(std::size_t bytes,
                                                     const std::vector<std::unique_ptr<gpu::Device>>& devices,
                                                     const parallel::Communicator& node);

}  // namespace meander::simulation
