// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CCZ4 patch kernels, each instantiated in its own translation unit.

#include <span>

#include "physics/ccz4/terms.hpp"
#include "solvers/device_batch.hpp"
#include "solvers/resident.hpp"

namespace meander::ccz4 {

void update_rusanov(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout, double t,
                    double dt, std::span<PatchStatus> status);

void update_fourth_order(const Terms& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                         int stage, double dt, std::span<PatchStatus> status);

// The device kernels (Solver::launch) on the host. `batch`: as returned by HostView.
void launch_rusanov_serially(const Terms& terms, const DeviceBatch& batch);
void launch_fourth_order_serially(const Terms& terms, const DeviceBatch& batch);

// The device kernels on CUDA, only in builds with it.
void launch_rusanov_on_cuda(const gpu::Execution& execution, const Terms& terms, const DeviceBatch& batch);
void launch_fourth_order_on_cuda(const gpu::Execution& execution, const Terms& terms,
                                 const DeviceBatch& batch);

// The device kernels by OpenMP, only in builds with OpenMP offloading. They return after the batch is
// complete.
void launch_rusanov_on_openmp(const gpu::Execution& execution, const Terms& terms, const DeviceBatch& batch);
void launch_fourth_order_on_openmp(const gpu::Execution& execution, const Terms& terms,
                                   const DeviceBatch& batch);

// The kernels on resident patches (Solver::launch_resident).
void launch_resident_serially(const gpu::Execution& execution, const Terms& terms, const ResidentWork& work);
void launch_resident_on_cuda(void* stream, const Terms& terms, const ResidentWork& work);

// Scratch memory for a launch of the first-order scheme.
std::size_t rusanov_scratch_bytes(const PatchLayout& layout, int patches);

PatchStatus inspect(const Terms& terms, const PatchTask& task, const PatchLayout& layout);

}  // namespace meander::ccz4
