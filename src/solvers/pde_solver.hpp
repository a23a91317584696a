// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// PdeSolver: a Solver from an equation and a scheme of its list (scheme.hpp), on the CPU and on devices. Its
// derived quantities are the unknowns; an equation with more derives a class from it. Not for device code.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "gpu/device.hpp"
#include "solvers/block_fused.hpp"
#include "solvers/block_measure.hpp"
#include "solvers/pde_kernels.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/scheme_words.hpp"

namespace meander::solvers {

template <Pde P>
class PdeSolver : public Solver {
  using Devices = DeviceKernels<P>;

 public:
  // unknown_names: P::unknowns names.
  PdeSolver(const std::string& name, const P& pde, const SchemeChoice& scheme,
            std::vector<std::string> unknown_names)
      : pde_(pde), scheme_(scheme) {
    static_assert(P::unknowns <= most_unknowns);
    MEANDER_ASSERT(unknown_names.size() == std::size_t{P::unknowns});
    traits_.name = name + ' ' + scheme_name(scheme, vocabulary<P>());
    set_traits(traits_, scheme.reconstruction);
    traits_.dim = P::dim;
    traits_.unknowns = P::unknowns;
    traits_.conservative = !P::has_ncp;
    traits_.radiates = Radiating<P> && scheme.reconstruction == Reconstruction::fourth_order;
    traits_.unknown_names = std::move(unknown_names);
    add_unknowns(std::make_integer_sequence<int, P::unknowns>());
  }

  const Traits& traits() const override { return traits_; }

  void update(std::span<const PatchTask> tasks, const PatchLayout& layout, int stage, double t, double dt,
              std::span<PatchStatus> status) const override {
    CpuKernels<P>::update(pde_, scheme_, tasks, layout, stage, t, dt, step_, status);
  }

  std::span<const std::byte> step_bytes() const override {
    if constexpr (P::has_source) {
      if (pde_.source_on(step_)) return std::as_bytes(std::span(&step_, 1));
    }
    return {};
  }

  bool runs_on(std::string_view kind) const override {
    return kind == "host" || (kind == "cuda" && Devices::cuda.launch != nullptr) ||
           (kind == "openmp" && Devices::openmp.launch != nullptr);
  }

  std::size_t scratch_bytes(const PatchLayout& layout, int patches) const override {
    if (Devices::cuda.launch == nullptr && Devices::openmp.launch == nullptr) return 0;
    // Phases of an update are kernels of their own, which share nothing but scratch memory.
    const bool in_scratch = Grouped<P> || Devices::openmp.launch != nullptr;
    return block_scratch(SerialKernels<P>::block_memory(scheme_, layout.p), patches,
                         in_scratch ? BlockMemory::scratch : BlockMemory::shared);
  }

  LaunchKernels kernels_of_launch() const override {
    LaunchKernels kernels{.stage_new_interior = Grouped<P>};
    if constexpr (Grouped<P>) {
      with_scheme<P>(scheme_, [&]<class Scheme>(std::type_identity<Scheme>) {
        kernels.count = Scheme::template Block<P, 0>::phases;
      });
    }
    return kernels;
  }

  void launch(const gpu::Execution& execution, const DeviceBatch& batch) const override {
    MEANDER_ASSERT(batch.layout.dim == P::dim && batch.layout.h == traits_.halo);
    if (execution.on_host()) {
      const HostView view(execution, batch, traits_.stage_blocks, P::has_source ? sizeof step_ : 0,
                          scratch_bytes(batch.layout, batch.count));
      SerialKernels<P>::launch(pde_, scheme_, view.batch());
    } else if (const auto launch = functions_for(execution).launch; launch != nullptr) {
      launch(execution, pde_, scheme_, batch);
    } else {
      Solver::launch(execution, batch);
    }
  }

  bool resides_on(std::string_view kind) const override { return runs_on(kind); }
  bool measures_on_device(int quantity) const override { return quantity < device_quantities<P>(); }

  void launch_resident(const gpu::Execution& execution, const ResidentWork& work) const override {
    if (execution.on_host()) {
      SerialKernels<P>::launch_resident(execution, pde_, work);
    } else if (const auto launch = functions_for(execution).launch_resident; launch != nullptr) {
      launch(execution, pde_, work);
    } else {
      Solver::launch_resident(execution, work);
    }
  }

  PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const override {
    return CpuKernels<P>::inspect(pde_, task, layout);
  }

  PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const override {
    return CpuKernels<P>::enforce_floors(pde_, task, layout);
  }

  // P may define void complete(double* q), as Solver::complete().
  void complete(double* unknowns) const override {
    if constexpr (requires { pde_.complete(unknowns); }) pde_.complete(unknowns);
  }

  bool admissible(const double* unknowns) const override { return pde_.admissible(unknowns); }
  bool continues(const double* own, const double* const* steps, const double*) const override {
    return corners_satisfy(P::dim, P::unknowns, own, steps,
                           [&](const double* corner) { return solvers::continues(pde_, own, corner); });
  }

  bool complete_prolonged(const double* coarse, double* unknowns) const override {
    if constexpr (Redundant<P>) {
      if (!pde_.is_redundant(coarse)) return false;
      unknowns[P::redundant] = pde_.from_others(unknowns);
      return true;
    }
    return false;
  }

  // P may define static double reflection_sign(int unknown, int axis). Otherwise no unknown changes its sign.
  void reflection_signs(int axis, std::span<double> signs) const override {
    std::fill(signs.begin(), signs.end(), 1.0);
    if constexpr (requires { P::reflection_sign(0, 0); }) {
      for (int n = 0; n < P::unknowns; ++n) signs[static_cast<std::size_t>(n)] = P::reflection_sign(n, axis);
    }
  }

  void* step_data() override { return std::is_same_v<typename P::StepData, NoStepData> ? nullptr : &step_; }
  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &pde_; }

 protected:
  const P& pde() const { return pde_; }
  // While no update is under way.
  void set_pde(const P& pde) { pde_ = pde; }
  void set_fields(int fields) { traits_.fields = fields; }
  void set_carried(std::vector<std::string> names) { traits_.carried_names = std::move(names); }
  void set_beside(std::vector<std::string> names) { traits_.beside_names = std::move(names); }
  typename P::StepData& step() { return step_; }
  const typename P::StepData& step() const { return step_; }

 private:
  static const DeviceFunctions<P>& functions_for(const gpu::Execution& execution) {
    return execution.openmp_device() >= 0 ? Devices::openmp : Devices::cuda;
  }

  template <int... unknown>
  void add_unknowns(std::integer_sequence<int, unknown...>) {
    (derived_.push_back({traits_.unknown_names[std::size_t{unknown}], "",
                         [](const void*, const double* q) { return q[unknown]; }}),
     ...);
  }

  P pde_;
  SchemeChoice scheme_;
  typename P::StepData step_ = {};
  Traits traits_;
  std::vector<Derived> derived_;
};

}  // namespace meander::solvers
