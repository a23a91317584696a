// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A Solver made of nothing but an equation: first-order Rusanov for every Pde, MUSCL-Hancock for those that
// can be reconstructed, on the CPU and on devices. What it can be asked for are the unknowns. Not for device
// code.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solvers/block_serial.hpp"
#include "solvers/muscl.hpp"
#include "solvers/patch_solver.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/rusanov.hpp"

namespace meander::solvers {

template <Pde P>
class PdeSolver final : public Solver {
 public:
  static constexpr bool has_muscl = Reconstructible<P>;

  // unknown_names: P::unknowns of them. A scheme of muscl's only where has_muscl.
  PdeSolver(const std::string& name, const P& pde, Scheme scheme, std::vector<std::string> unknown_names)
      : pde_(pde), scheme_(scheme) {
    MEANDER_ASSERT(unknown_names.size() == std::size_t{P::unknowns});
    traits_.name = name + " rusanov";
    if (scheme != Scheme::rusanov) {
      MEANDER_ASSERT(has_muscl);
      traits_.name = name + (scheme == Scheme::muscl_mc ? " muscl mc" : " muscl minmod");
      traits_.halo = 2;
      traits_.halo_shape = HaloShape::edges;  // the predictor takes transverse slopes in halo volumes
      traits_.prolongation = Prolongation::limited_linear;
    }
    traits_.dim = P::dim;
    traits_.unknowns = P::unknowns;
    traits_.conservative = !P::has_ncp;
    traits_.unknown_names = std::move(unknown_names);
    add_unknowns(std::make_integer_sequence<int, P::unknowns>());
  }

  const Traits& traits() const override { return traits_; }

  void update(std::span<const PatchTask> tasks, const PatchLayout& layout, int, double t, double dt,
              std::span<PatchStatus> status) const override {
    if constexpr (has_muscl) {
      if (scheme_ == Scheme::muscl_minmod)
        return update_batch<MusclHancock<P, Pack, MinMod>>(pde_, tasks, layout, t, dt, step_, status);
      if (scheme_ == Scheme::muscl_mc)
        return update_batch<MusclHancock<P, Pack, MonotonizedCentral>>(pde_, tasks, layout, t, dt, step_,
                                                                       status);
    }
    update_batch<Rusanov<P, Pack>>(pde_, tasks, layout, t, dt, step_, status);
  }

  std::span<const std::byte> step_bytes() const override {
    if constexpr (P::has_source) {
      if (pde_.source_on(step_)) return std::as_bytes(std::span(&step_, 1));
    }
    return {};
  }

  bool runs_on(std::string_view kind) const override {
    return kind == "host" || (kind == "cuda" && CudaKernels<P>::launch != nullptr);
  }

  std::size_t scratch_bytes(const PatchLayout& layout, int patches) const override {
    std::size_t bytes = 0;
    with_block_kernel<P>(scheme_, [&](auto kernel) {
      if (CudaKernels<P>::launch != nullptr)
        bytes = block_scratch(decltype(kernel)::type::memory(layout.p), patches);
    });
    return bytes;
  }

  void launch(const gpu::Execution& execution, const DeviceBatch& batch) const override {
    MEANDER_ASSERT(batch.layout.dim == P::dim && batch.layout.h == traits_.halo);
    if (execution.on_host()) {
      const HostView view(execution, batch, 0, sizeof step_, scratch_bytes(batch.layout, batch.count));
      with_block_kernel<P>(scheme_, [&](auto kernel) {
        update_serially<typename decltype(kernel)::type>(pde_, view.batch());
      });
    } else if (CudaKernels<P>::launch != nullptr) {
      CudaKernels<P>::launch(execution.native_queue(), pde_, scheme_, batch);
    } else {
      Solver::launch(execution, batch);
    }
  }

  PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const override {
    return inspect_patch(pde_, task, layout, workspace(layout).plane);
  }

  PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const override {
    std::int64_t floored = 0;
    if constexpr (Floored<P>) {
      for (int k = 0; pde_.enforces() && k < (P::dim == 3 ? layout.p : 1); ++k) {
        for (int j = 0; j < layout.p; ++j) {
          for (int i = 0; i < layout.p; ++i) floored += enforce(task.q + layout.at(0, i, j, k), layout);
        }
      }
    }
    PatchStatus status = inspect(task, layout);
    status.floored = floored;
    return status;
  }

  bool admissible(const double* unknowns) const override { return pde_.admissible(unknowns); }

  // P may say static double reflection_sign(int unknown, int axis); else no unknown changes its sign.
  void reflection_signs(int axis, std::span<double> signs) const override {
    std::fill(signs.begin(), signs.end(), 1.0);
    if constexpr (requires { P::reflection_sign(0, 0); }) {
      for (int n = 0; n < P::unknowns; ++n) signs[static_cast<std::size_t>(n)] = P::reflection_sign(n, axis);
    }
  }

  void* step_data() override { return std::is_same_v<typename P::StepData, NoStepData> ? nullptr : &step_; }
  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &pde_; }

 private:
  template <int... unknown>
  void add_unknowns(std::integer_sequence<int, unknown...>) {
    (derived_.push_back({traits_.unknown_names[std::size_t{unknown}], "",
                         [](const void*, const double* q) { return q[unknown]; }}),
     ...);
  }

  // Of one volume, whose first unknown is at `volume`; true if it was lifted.
  bool enforce(double* volume, const PatchLayout& layout) const {
    double q[P::unknowns];
    for (int n = 0; n < P::unknowns; ++n) q[n] = volume[n * layout.unknown_stride()];
    if (!pde_.enforce(q)) return false;
    for (int n = 0; n < P::unknowns; ++n) volume[n * layout.unknown_stride()] = q[n];
    return true;
  }

  P pde_;
  Scheme scheme_;
  typename P::StepData step_ = {};
  Traits traits_;
  std::vector<Derived> derived_;
};

}  // namespace meander::solvers
