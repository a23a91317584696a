// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// [offload] and [gpu-memory]: updates of batches of patches on devices, and their memory.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "io/key_table.hpp"
#include "mesh/boundary_condition.hpp"
#include "parallel/communicator.hpp"
#include "solvers/solver.hpp"

namespace meander::offload {
class Engine;
}
namespace meander::tasks {
struct ResidentDevice;
}

namespace meander::simulation {

struct OffloadConfig {
  // [offload]
  std::string device = "none";
  int batch = 8;
  int queues = 4;
  std::string memory = "pooled";
  std::string gpus = "by-local-rank";  // or "all"
  std::string split = "measured";      // or "fixed"
  double device_share = 1;             // of the enclaves, for split = "fixed"
  // [gpu-memory]
  std::string patches = "host";    // or "pinned", "unified", "device"
  double limit = 0;                // bytes of a device that a rank's cache may hold; 0: all of its memory
  double quota = 0;                // bytes of a device that the caches of all ranks may hold; 0: no quota
  int alignment = 256;             // bytes
  std::string fallback = "batch";  // or "pinned", "abort"
  double trim_after = 10;          // seconds
  std::string messages = "auto";   // or "host", "device": of patches on devices

  // Replaces the devices of that name, for tests; may be empty.
  std::function<std::vector<std::unique_ptr<gpu::Device>>()> make_devices;
  bool block_kernels = false;  // see offload::Options

  bool patches_on_device() const { return patches == "device"; }
};

void describe_offload(io::KeyTable& keys, OffloadConfig& config);
void describe_gpu_memory(io::KeyTable& keys, OffloadConfig& config);

// Throws InputError at the key that requires something missing: device, strategy, memory for a batch.
void check_offload(const io::KeyTable& offload, const io::KeyTable& gpu_memory, const OffloadConfig& config,
                   const solvers::Solver& solver, int patch_size,
                   std::span<const mesh::BoundaryCondition* const> boundaries);

// Null on a rank without devices. Throws DeviceError (several ranks: AgreedFailure). Collective.
std::unique_ptr<offload::Engine> make_engine(const OffloadConfig& config, const solvers::Solver& solver,
                                             const parallel::Communicator& communicator);

// The device in whose memory this rank's patches live (gpu-memory.patches = "device"); null otherwise, and on
// a rank without device. Throws DeviceError (several ranks: AgreedFailure). Collective.
std::unique_ptr<tasks::ResidentDevice> make_resident_device(const OffloadConfig& config,
                                                            const solvers::Solver& solver,
                                                            const parallel::Communicator& communicator);

// gpu-memory.patches = "device": which inputs may live on a device.
// Throws InputError at the key that does not allow it. `why_none`: why device "auto" selects none.
void check_resident(const io::KeyTable& offload, const io::KeyTable& gpu_memory, const OffloadConfig& config,
                    const solvers::Solver& solver, std::span<const mesh::BoundaryCondition* const> boundaries,
                    const std::vector<std::unique_ptr<gpu::Device>>& devices, const std::string& why_none);

}  // namespace meander::simulation
