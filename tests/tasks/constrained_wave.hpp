// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A small equation with the scheme of CCZ4: point values, differences of fourth order, four stages, a constraint that
// is enforced after each of them. For tests of whole steps, which with CCZ4 itself take minutes on an emulated device.

#include <cmath>
#include <vector>

#include "solvers/block_fused.hpp"
#include "solvers/block_serial.hpp"
#include "solvers/fourth_order.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/pack.hpp"
#include "solvers/patch_solver.hpp"
#include "solvers/resident_kernels.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {

// du/dt = div w, dw/dt = grad u + c / 10, with c = u^2, which is kept as an unknown and enforced.
struct ConstrainedWave {
  using StepData = solvers::NoStepData;
  static constexpr int dim = 3, unknowns = 5, auxiliaries = 0, rate_groups = 1;
  static constexpr bool has_flux = false, has_ncp = true, has_source = false, radiates = false;
  static constexpr int rate_group(int) { return 0; }
  MEANDER_HOST_DEVICE double dissipation() const { return 0.2; }

  template <class T>
  MEANDER_TERM void rates(const T* q, const T* gradient, T* rate) const {
    rate[0] = gradient[1] + gradient[unknowns + 2] + gradient[2 * unknowns + 3];
    for (int a = 0; a < 3; ++a) rate[1 + a] = fma(T(0.1), q[4], gradient[a * unknowns]);
    rate[4] = q[0] * rate[0];  // half of what the constraint demands
  }
  template <class T>
  MEANDER_TERM T max_eigenvalue(const T* q, const T*, int) const {
    return T(1.0) + T(0.1) * abs(q[0]);
  }
  template <class T>
  MEANDER_TERM void ncp(const T*, const T*, int, T*) const {}  // in rates()
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    return q[0] <= T(1e6);  // false for NaN
  }
  MEANDER_HOST_DEVICE bool enforces() const { return true; }
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    q[4] = q[0] * q[0];
    return q[0] > T(1.25);  // counted as floored
  }
};

class ConstrainedWaveSolver final : public solvers::Solver, public solvers::LocalStepSolver {
 public:
  ConstrainedWaveSolver() {
    traits_.name = "wave";
    traits_.unknowns = ConstrainedWave::unknowns;
    traits_.halo = 3;
    traits_.prolongation = solvers::Prolongation::centred;
    traits_.stages = 4;
    traits_.stage_blocks = 2;
    traits_.conservative = false;
    traits_.unknown_names = {"u", "w_x", "w_y", "w_z", "c"};
  }
  const solvers::Traits& traits() const override { return traits_; }
  void update(std::span<const solvers::PatchTask> tasks, const solvers::PatchLayout& layout, int stage,
              double, double dt, std::span<solvers::PatchStatus> status) const override {
    solvers::FourthOrder<ConstrainedWave, solvers::Pack> kernel(terms_, layout, solvers::workspace(layout));
    for (std::size_t i = 0; i < tasks.size(); ++i) status[i] = kernel.update(tasks[i], stage, dt);
  }
  solvers::PatchStatus inspect(const solvers::PatchTask& task,
                               const solvers::PatchLayout& layout) const override {
    return solvers::inspect_patch(terms_, task, layout, solvers::workspace(layout).plane);
  }
  bool admissible(const double* q) const override { return terms_.admissible(q); }
  void reflection_signs(int axis, std::span<double> signs) const override {
    for (std::size_t n = 0; n < signs.size(); ++n) signs[n] = static_cast<int>(n) == 1 + axis ? -1 : 1;
  }
  void enforce(const solvers::PatchLayout& layout, double* slot, const solvers::Box<3>& box) const override {
    double q[ConstrainedWave::unknowns];
    solvers::for_rows<3>(box, [&](const Index<3>& i) {
      for (int x = 0; x < box.extent[0]; ++x) {
        const std::ptrdiff_t at = layout.at(0, i) + x;
        for (int n = 0; n < ConstrainedWave::unknowns; ++n) q[n] = slot[n * layout.unknown_stride() + at];
        terms_.enforce(q);
        for (int n = 0; n < ConstrainedWave::unknowns; ++n) slot[n * layout.unknown_stride() + at] = q[n];
      }
    });
  }
  double step_limit_of(const solvers::PatchTask&, const solvers::PatchLayout&) const override { return 1; }

  bool runs_on(std::string_view kind) const override { return kind == "host"; }
  bool resides_on(std::string_view kind) const override { return kind == "host"; }
  solvers::LaunchKernels kernels_of_launch() const override {
    return {solvers::BlockFourthOrder<ConstrainedWave, false>::phases, true};
  }
  void launch(const gpu::Execution& execution, const solvers::DeviceBatch& batch) const override {
    const solvers::HostView view(execution, batch, traits_.stage_blocks, 0, 0);
    solvers::update_serially<solvers::BlockFourthOrder<ConstrainedWave, false>>(terms_, view.batch());
  }
  void launch_resident(const gpu::Execution& execution, const solvers::ResidentWork& work) const override {
    solvers::launch_resident_by(solvers::SerialLauncher{}, terms_, solvers::on_host(execution, work.batch));
  }
  const std::vector<solvers::Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &terms_; }

 private:
  ConstrainedWave terms_;
  solvers::Traits traits_;
  std::vector<solvers::Derived> derived_;
};

inline constexpr int patch_of_waves = 9;
// For levels 1 to 3 of a domain 1 wide, whose finest volumes are 1 / 243 wide.
inline constexpr double finest_step_of_waves = 0.2 / 243;

// Levels 1 to 3. Values of distant volumes are unrelated, and finite beyond the corners of halos that no one fills.
inline std::unique_ptr<mesh::PatchMesh<3>> wave_mesh(const solvers::Solver& solver,
                                                     const mesh::BoundaryCondition& boundary,
                                                     ThreadTeam& team,
                                                     const parallel::Communicator& communicator = {}) {
  auto mesh = nested_mesh<3>(solver, patch_of_waves, boundary, team, communicator);
  const auto& layout = mesh->layout();
  for (const auto& patch : mesh->patches()) {
    for (int v = 0; v < layout.volumes(); ++v) {
      const Index<3> i{v % layout.p, v / layout.p % layout.p, v / (layout.p * layout.p)};
      double phase = 0;
      for (std::size_t a = 0; a < 3; ++a)
        phase += (17.0 + 8 * static_cast<double>(a)) * (patch.lower[a] + (i[a] + 0.5) * patch.dx);
      for (int u = 0; u < layout.unknowns; ++u) patch.q[layout.at(u, i)] = 1 + 0.3 * std::sin(phase + u);
    }
    solver.enforce_floors(patch, layout);
  }
  mesh->fill_halos(0, team);
  return mesh;
}

}  // namespace meander::tasks
