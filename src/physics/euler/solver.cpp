// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "physics/euler/derived.hpp"
#include "physics/euler/terms.hpp"
#include "solvers/pde_solver.hpp"

namespace meander::euler {
namespace {

// Fraction of sqrt(dx / g), the time to fall across half a volume from rest.
constexpr double gravity_cfl = 0.5;
// Fraction of |tau|; a tenth of this changes the scale factor by a thousandth. Larger steps miss the
// turnaround.
constexpr double expansion_fraction = 0.005;

template <int D>
class EulerSolver final : public PdeSolver<Terms<D>> {
  using Base = PdeSolver<Terms<D>>;

 public:
  EulerSolver(const Parameters& parameters, const SchemeChoice& scheme)
      : Base("euler", Terms<D>(parameters), scheme, unknown_names(D)),
        parameters_(parameters),
        derived_(derived_quantities(D)) {
    this->step().dim = D;
  }

  // The lower bound of the pressure, from the smallest energy, largest momenta and smallest density. Strictly
  // inside the limits, so that rounding has no influence.
  bool surely_admissible(const double* q, const double* spread) const override {
    const double density = q[0] - spread[0];
    double momentum2 = 0;
    for (int a = 1; a <= D; ++a) {
      const double m = std::abs(q[a]) + spread[a];
      momentum2 += m * m;
    }
    const double margin = 1e-9 * q[D + 1];
    return density > 1e-9 * q[0] && q[D + 1] - spread[D + 1] - margin > 0.5 * momentum2 / density;
  }

  double step_limit(double t, double dx) const override {
    if (!this->step().on) return std::numeric_limits<double>::infinity();
    const double fall = this->step().g_max > 0 ? gravity_cfl * std::sqrt(dx / this->step().g_max)
                                               : std::numeric_limits<double>::infinity();
    return std::min(fall, expansion_fraction * std::abs(t));
  }

  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &parameters_; }

 private:
  Parameters parameters_;
  std::vector<Derived> derived_;
};

template <int D>
std::unique_ptr<Solver> make(const Parameters& parameters, const SchemeWords& scheme) {
#ifdef MEANDER_CUDA
  DeviceKernels<Terms<D>>::cuda = PdeKernels<Terms<D>>::launch_on_cuda;
  DeviceKernels<Terms<D>>::resident_cuda = PdeKernels<Terms<D>>::launch_resident_on_cuda;
#endif
#ifdef MEANDER_OPENMP
  DeviceKernels<Terms<D>>::openmp = PdeKernels<Terms<D>>::launch_on_openmp;
#endif
  return std::make_unique<EulerSolver<D>>(parameters, choice_of<Terms<D>>(scheme));
}

}  // namespace

std::unique_ptr<Solver> make_solver(int dim, const Parameters& parameters, const SchemeWords& scheme) {
  MEANDER_ASSERT(dim == 2 || dim == 3);
  return dim == 2 ? make<2>(parameters, scheme) : make<3>(parameters, scheme);
}

}  // namespace meander::euler
