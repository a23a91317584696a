// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The patches that one launch on a device updates. Patches of different levels may share a batch: each has
// its own position and width. Trivially copyable: the array of patches is copied to the device as it is.

#include <cstdint>
#include <type_traits>

#include "gpu/device.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// One patch. All pointers are device pointers to blocks aligned to 64 bytes.
struct DevicePatch {
  const double* q = nullptr;    // a slot, halos full; read only
  double* next = nullptr;       // the new interior: [unknown][volume, x fastest], PatchLayout::volumes() each
  double* slot = nullptr;       // DeviceBatch::in_place: q
  double* stages = nullptr;     // stage blocks as in PatchTask, or null
  double lower[3] = {0, 0, 0};  // as in PatchTask
  double dx = 0;
  double* flux[6] = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};  // as in PatchTask
  std::uint8_t radiative = 0;                                                // as in PatchTask
  std::uint8_t level = 0;  // of resident patches: of the tree
};

struct DeviceBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;  // `count`
  PatchStatus* status = nullptr;         // `count`, written by the launch
  const void* step_data = nullptr;       // Solver::step_bytes(), or null if there are none
  void* scratch = nullptr;               // Solver::scratch_bytes(), contents undefined; null if 0
  PatchLayout layout;
  bool radiates = false;  // some patch is radiative
  int stage = 0;
  double t = 0, dt = 0;
  // New interiors go into DevicePatch::slot. DevicePatch::next is scratch memory for solvers that ask for it
  // (Solver::kernels_of_launch()), else null.
  bool in_place = false;
};
static_assert(std::is_trivially_copyable_v<DevicePatch> && std::is_trivially_copyable_v<DeviceBatch> &&
              std::is_trivially_copyable_v<PatchStatus>);

// The batch with host addresses, for work on an emulated device. Owns the array of patches, which is valid
// during its lifetime. Throws DeviceError if any pointer lies outside the device's memory.
class HostView {
 public:
  HostView(const gpu::Execution& execution, const DeviceBatch& batch, int stage_blocks,
           std::size_t step_bytes, std::size_t scratch_bytes);
  const DeviceBatch& batch() const { return batch_; }

 private:
  std::vector<DevicePatch> patches_;
  DeviceBatch batch_;
};

}  // namespace meander::solvers
