// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/solver.hpp"

#include <limits>

#include "gpu/device.hpp"
#include "solvers/prolongation.hpp"

namespace meander::solvers {

PatchStatus Solver::enforce_floors(const PatchTask& task, const PatchLayout& layout) const {
  return inspect(task, layout);
}

bool Solver::continues(const double* own, const double* const* steps, const double*) const {
  return corners_satisfy(traits().dim, traits().unknowns, own, steps,
                         [&](const double* corner) { return admissible(corner); });
}

bool Solver::row_surely_admissible(const double*, std::ptrdiff_t, int) const {
  return false;
}

const std::vector<PatchQuantity>& Solver::patch_quantities() const {
  static const std::vector<PatchQuantity> none;
  return none;
}

double Solver::step_limit(double, double) const {
  return std::numeric_limits<double>::infinity();
}

bool Solver::runs_on(std::string_view) const {
  return false;
}

std::size_t Solver::scratch_bytes(const PatchLayout&, int) const {
  return 0;
}

void Solver::launch(const gpu::Execution&, const DeviceBatch&) const {
  throw gpu::DeviceError(traits().name + " has no kernels for this device", false);
}

bool Solver::resides_on(std::string_view) const {
  return false;
}

void Solver::launch_resident(const gpu::Execution&, const ResidentWork&) const {
  throw gpu::DeviceError(traits().name + " has no kernels on resident patches for this device", false);
}

}  // namespace meander::solvers
