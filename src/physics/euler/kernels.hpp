// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Euler patch kernels, each instantiated in a translation unit of its own.

#include <span>

#include "physics/euler/terms.hpp"
#include "solvers/device_batch.hpp"

namespace meander::euler {

template <int D>
void update_rusanov(const Terms<D>& terms, std::span<const PatchTask> tasks, const PatchLayout& layout,
                    double t, double dt, const SphericalGravity& gravity, std::span<PatchStatus> status);

template <int D>
void update_muscl(const Terms<D>& terms, Limiter limiter, std::span<const PatchTask> tasks,
                  const PatchLayout& layout, double t, double dt, const SphericalGravity& gravity,
                  std::span<PatchStatus> status);

template <int D>
PatchStatus inspect(const Terms<D>& terms, const PatchTask& task, const PatchLayout& layout);

// The device kernels (Solver::launch), on the host: `batch` as HostView gives it.
template <int D>
void launch_rusanov_serially(const Terms<D>& terms, const DeviceBatch& batch);
template <int D>
void launch_muscl_serially(const Terms<D>& terms, Limiter limiter, const DeviceBatch& batch);

// On CUDA; only in builds with it. `stream`: a cudaStream_t.
template <int D>
void launch_rusanov_on_cuda(void* stream, const Terms<D>& terms, const DeviceBatch& batch);
template <int D>
void launch_muscl_mc_on_cuda(void* stream, const Terms<D>& terms, const DeviceBatch& batch);
template <int D>
void launch_muscl_minmod_on_cuda(void* stream, const Terms<D>& terms, const DeviceBatch& batch);

// By OpenMP; only in builds that offload with it. Return when the batch is done.
template <int D>
void launch_rusanov_on_openmp(const gpu::Execution& execution, const Terms<D>& terms,
                              const DeviceBatch& batch);
template <int D>
void launch_muscl_on_openmp(const gpu::Execution& execution, const Terms<D>& terms, Limiter limiter,
                            const DeviceBatch& batch);

// Scratch memory that a launch wants.
template <int D>
std::size_t scratch_bytes(Scheme scheme, const PatchLayout& layout, int patches);

}  // namespace meander::euler
