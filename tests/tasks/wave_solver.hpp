// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Two coupled wave equations with the classical Runge-Kutta method, for tests of local time steps of several
// stages: u_t = v, v_t = Laplacian(u) - u w, and the same for w. Point values, fourth-order differences with
// dissipation, any dimension; reads halos across faces, h = 3.

#include <cmath>
#include <vector>

#include "solvers/boxes.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/solver.hpp"

namespace meander::tasks {

template <int D>
class WaveSolver final : public solvers::Solver, public solvers::LocalStepSolver {
 public:
  static constexpr int unknowns =
      D + 2;  // u, v, w and its rate; in 3D one that stays: those of fill_with_gas()

  WaveSolver() {
    traits_.name = "waves";
    traits_.dim = D;
    traits_.unknowns = unknowns;
    traits_.halo = 3;
    traits_.prolongation = solvers::Prolongation::centred;
    traits_.stages = 4;
    traits_.stage_blocks = 2;
    traits_.conservative = false;
  }
  const solvers::Traits& traits() const override { return traits_; }

  void update(std::span<const solvers::PatchTask> patches, const solvers::PatchLayout& layout, int stage,
              double, double dt, std::span<solvers::PatchStatus> status) const override {
    for (std::size_t i = 0; i < patches.size(); ++i) {
      advance(patches[i], layout, stage, dt);
      status[i] = inspect(patches[i], layout);
    }
  }
  solvers::PatchStatus inspect(const solvers::PatchTask& patch,
                               const solvers::PatchLayout& layout) const override {
    solvers::PatchStatus status;
    status.max_rate = D;
    for_volumes(layout, [&](std::ptrdiff_t, const Index<D>& i) {
      for (int u = 0; u < unknowns; ++u)
        status.admissible = status.admissible && std::isfinite(patch.q[layout.at(u, i)]);
    });
    return status;
  }
  bool admissible(const double*) const override { return true; }
  void reflection_signs(int, std::span<double> signs) const override { std::ranges::fill(signs, 1.0); }
  const std::vector<solvers::Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return nullptr; }
  void enforce(const solvers::PatchLayout&, double*, const solvers::Box<3>&) const override {}
  double step_limit_of(const solvers::PatchTask&, const solvers::PatchLayout&) const override { return 1; }

 private:
  template <class Body>
  static void for_volumes(const solvers::PatchLayout& layout, const Body& body) {
    for (int v = 0; v < layout.volumes(); ++v) {
      Index<D> i{};
      for (int a = 0, rest = v; a < D; ++a, rest /= layout.p)
        i[static_cast<std::size_t>(a)] = rest % layout.p;
      body(v, i);
    }
  }

  static void advance(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, int stage,
                      double dt) {
    constexpr double reach[] = {0.5, 0.5, 1.0, 1.0 / 6}, weight[] = {1, 2, 2, 1};
    const auto block = static_cast<std::size_t>(layout.stage_block_size());
    std::vector<double> rates(block);
    const double square = 1 / (12 * patch.dx * patch.dx), damping = 0.2 / (64 * patch.dx);
    for_volumes(layout, [&](std::ptrdiff_t v, const Index<D>& i) {
      const double* const centre = patch.q + layout.at(0, i);
      const auto at = [&](int u, std::ptrdiff_t by) { return centre[u * layout.unknown_stride() + by]; };
      for (int u = 0; u < 4; ++u) {
        double laplacian = 0, sixth = 0;  // of the wave and of the unknown
        for (int a = 0; a < D; ++a) {
          const std::ptrdiff_t s = layout.stride(a);
          const auto around = [&](int of, int by) { return at(of, by * s) + at(of, -by * s); };
          const int wave = u / 2 * 2;
          laplacian += (16 * around(wave, 1) - around(wave, 2) - 30 * at(wave, 0)) * square;
          sixth += around(u, 3) - 6 * around(u, 2) + 15 * around(u, 1) - 20 * at(u, 0);
        }
        rates[static_cast<std::size_t>(u * layout.volumes() + v)] =
            damping * sixth + (u % 2 == 0 ? at(u + 1, 0) : laplacian - at(0, 0) * at(2, 0));
      }
    });
    for_volumes(layout, [&](std::ptrdiff_t v, const Index<D>& i) {
      for (int u = 0; u < unknowns; ++u) {
        const std::ptrdiff_t of_block = u * layout.volumes() + v;
        double &start = patch.stages[of_block], &sum = patch.stages[layout.stage_block_size() + of_block];
        double& q = patch.q[layout.at(u, i)];
        const double rate = rates[static_cast<std::size_t>(of_block)];
        if (stage == 0) start = q;
        const double all = stage == 0 ? rate : sum + weight[stage] * rate;
        q = start + reach[stage] * dt * (stage == 3 ? all : rate);
        if (stage < 3) sum = all;
      }
    });
  }

  solvers::Traits traits_;
  std::vector<solvers::Derived> derived_;
};

}  // namespace meander::tasks
