// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solver whose update only waits for a given time: a model of a device kernel without a device.

#include <chrono>
#include <thread>

#include "physics/euler/solver.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

class ModelledSolver final : public solvers::Solver {
 public:
  // `seconds`: duration of an update per patch. `real` must outlive this object.
  ModelledSolver(const solvers::Solver& real, double seconds) : real_(real), seconds_(seconds) {}
  const solvers::Traits& traits() const override { return real_.traits(); }
  void update(std::span<const solvers::PatchTask> tasks, const solvers::PatchLayout&, int, double, double,
              std::span<solvers::PatchStatus> status) const override {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                        seconds_ * static_cast<double>(tasks.size())));
    std::fill_n(status.begin(), tasks.size(), solvers::PatchStatus{});
    while (Clock::now() < end) std::this_thread::yield();
  }
  solvers::PatchStatus inspect(const solvers::PatchTask& task,
                               const solvers::PatchLayout& layout) const override {
    return real_.inspect(task, layout);
  }
  bool admissible(const double* unknowns) const override { return real_.admissible(unknowns); }
  bool continues(const double* own, const double* const* steps, const double* spread) const override {
    return real_.continues(own, steps, spread);
  }
  void reflection_signs(int axis, std::span<double> signs) const override {
    real_.reflection_signs(axis, signs);
  }
  const std::vector<solvers::Derived>& derived() const override { return real_.derived(); }
  const void* parameters() const override { return real_.parameters(); }

 private:
  const solvers::Solver& real_;
  const double seconds_;
};

}  // namespace meander::bench
