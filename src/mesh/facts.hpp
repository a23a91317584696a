// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of a mesh and of its patches on a device, for reports.

#include <cstddef>
#include <cstdint>

namespace meander::mesh {

// Properties of the present partition. Identical on all ranks.
struct PartitionFacts {
  bool by_levels = false;         // by a cut of the curve for each level
  std::int64_t most_leaves = 0;   // largest number on one rank
  std::int64_t remote_faces = 0;  // faces of leaves between ranks, counted once, from the finer side
  double cube_faces = 0;        // as remote_faces, if the leaves of every rank formed a cube of equal leaves
  std::int64_t halo_bytes = 0;  // sent by all ranks in one halo exchange with its flux correction
  std::int64_t migrated = 0;    // leaves that have moved to another rank so far
};

// Host memory of the patches of one rank.
struct MeshBytes {
  std::size_t state;      // patches
  std::size_t registers;  // registers and buffers for fluxes, restrictions and messages
};

// The device memory of patches, in bytes, of one rank; estimated before they are there.
struct DeviceMemory {
  std::size_t slots = 0;     // with their stage blocks, and copies of other ranks' patches
  std::size_t next = 0;      // new interiors, if the solver does not update in place
  std::size_t messages = 0;  // flux registers, and buffers for messages
  std::size_t tables = 0;    // of kernels
  std::size_t scratch = 0;   // of kernels
  std::size_t field = 0;     // what is solved for between steps
  std::size_t total() const { return slots + next + messages + tables + scratch + field; }
};

// Since the start.
struct DeviceCounts {
  std::int64_t launches = 0;                 // of kernels
  std::int64_t stages = 0;                   // of time steps
  std::int64_t bytes_in = 0, bytes_out = 0;  // copied over the link
  std::int64_t rebuilds = 0;                 // of the tables
  double waited = 0;                         // seconds in which the host waited for the device in steps
  double moved = 0;                          // seconds for new tables and patches from the host
};

}  // namespace meander::mesh
