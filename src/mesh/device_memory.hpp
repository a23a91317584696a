// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The device memory of patches that live on a device, estimated before they are there.

#include <cstddef>

namespace meander::mesh {

// In bytes, of one rank.
struct DeviceMemory {
  std::size_t slots = 0;     // with their stage blocks, and copies of other ranks' patches
  std::size_t next = 0;      // new interiors, if the solver does not update in place
  std::size_t messages = 0;  // flux registers, and buffers for messages
  std::size_t tables = 0;    // of kernels
  std::size_t scratch = 0;   // of kernels
  std::size_t total() const { return slots + next + messages + tables + scratch; }
};

}  // namespace meander::mesh
