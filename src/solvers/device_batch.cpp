// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device_batch.hpp"

namespace meander::solvers {

HostView::HostView(const gpu::Execution& execution, const DeviceBatch& batch, int stage_blocks,
                   std::size_t step_bytes, std::size_t scratch_bytes)
    : batch_(batch) {
  const auto count = static_cast<std::size_t>(batch.count);
  const auto doubles = [&](auto*& pointer, std::ptrdiff_t size) {
    if (pointer != nullptr) pointer = execution.address(pointer, static_cast<std::size_t>(size));
  };
  const auto bytes = [&](const void* pointer, std::size_t size) {
    return pointer == nullptr ? nullptr : execution.address(static_cast<const char*>(pointer), size);
  };
  const PatchLayout& layout = batch.layout;
  const DevicePatch* const patches = execution.address(batch.patches, count);
  patches_.assign(patches, patches + count);
  for (DevicePatch& patch : patches_) {
    doubles(patch.q, layout.slot_size());
    doubles(patch.next, layout.volumes() * layout.unknowns);
    doubles(patch.slot, layout.slot_size());
    doubles(patch.stages, stage_blocks * layout.stage_block_size());
    for (double*& flux : patch.flux) doubles(flux, layout.face_flux_size());
  }
  batch_.patches = patches_.data();
  batch_.status = execution.address(batch.status, count);
  batch_.step_data = bytes(batch.step_data, step_bytes);
  batch_.scratch = const_cast<char*>(bytes(batch.scratch, scratch_bytes));
}

}  // namespace meander::solvers
