// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/pde_solver.hpp"

namespace meander::euler {
namespace {

// P: Terms or DualEnergyTerms.
template <class P>
struct Gas {
  static constexpr int D = P::dim;
  double gamma, rho, u[D + 2];  // velocity, pressure, sound speed
  Gas(const void* parameters, const double* q)
      : gamma(static_cast<const Parameters*>(parameters)->gamma), rho(q[0]) {
    P(*static_cast<const Parameters*>(parameters)).auxiliary(q, u);
  }
  double pressure() const { return u[D]; }
  double sound() const { return u[D + 1]; }
  double speed() const { return D == 3 ? std::hypot(u[0], u[1], u[D - 1]) : std::hypot(u[0], u[1]); }
};

template <int Unknown>
double unknown(const void*, const double* q) {
  return q[Unknown];
}

template <int D, int Axis>
double velocity(const void*, const double* q) {
  return q[1 + Axis] / q[0];
}

template <class P>
std::vector<Derived> quantities() {
  constexpr int D = P::dim;
  std::vector<Derived> all;
  const std::vector<std::string> names = unknown_names(D, P::unknowns > D + 2);
  [&]<std::size_t... n>(std::index_sequence<n...>) {
    (all.push_back({names[n], "", unknown<int{n}>}), ...);
  }
  (std::make_index_sequence<std::size_t{P::unknowns}>());
  all.push_back({"velocity_x", "", velocity<D, 0>});
  all.push_back({"velocity_y", "", velocity<D, 1>});
  if constexpr (D == 3) all.push_back({"velocity_z", "", velocity<D, 2>});
  using Value = double (*)(const void*, const double*);
  const auto add = [&](const char* name, Value value) { all.push_back({name, "", value}); };
  add("pressure", [](const void* p, const double* q) { return Gas<P>(p, q).pressure(); });
  add("sound_speed", [](const void* p, const double* q) { return Gas<P>(p, q).sound(); });
  add("mach", [](const void* p, const double* q) {
    const Gas<P> gas(p, q);
    return gas.speed() / gas.sound();
  });
  add("internal_energy", [](const void* p, const double* q) {
    const Gas<P> gas(p, q);
    return gas.pressure() / ((gas.gamma - 1) * gas.rho);
  });
  add("temperature", [](const void* p, const double* q) {
    const Gas<P> gas(p, q);
    return gas.pressure() / gas.rho;
  });
  add("entropy", [](const void* p, const double* q) {
    const Gas<P> gas(p, q);
    return gas.pressure() / std::pow(gas.rho, gas.gamma);
  });
  return all;
}

}  // namespace

std::vector<std::string> unknown_names(int dim, bool dual_energy) {
  std::vector<std::string> names = {"density", "momentum_x", "momentum_y"};
  if (dim == 3) names.push_back("momentum_z");
  names.push_back("energy");
  if (dual_energy) names.push_back("entropy_density");
  return names;
}

std::vector<Derived> derived_quantities(int dim, bool dual_energy) {
  if (dual_energy) return dim == 3 ? quantities<DualEnergyTerms<3>>() : quantities<DualEnergyTerms<2>>();
  return dim == 3 ? quantities<Terms<3>>() : quantities<Terms<2>>();
}

namespace {

// P: Terms or DualEnergyTerms.
template <class P>
class EulerSolver final : public PdeSolver<P> {
  using Base = PdeSolver<P>;
  static constexpr int D = P::dim;
  static constexpr bool dual_energy = std::is_same_v<P, DualEnergyTerms<D>>;

 public:
  EulerSolver(const Parameters& parameters, const SchemeChoice& scheme)
      : Base(dual_energy ? "euler dual-energy" : "euler", P(parameters), scheme,
             unknown_names(D, dual_energy)),
        parameters_(parameters),
        derived_(derived_quantities(D, dual_energy)) {
    this->step().dim = D;
    this->set_fields(parameters.gravity_fields ? D : 0);
    if (!parameters.potential) return;
    this->set_carried({"potential", "potential_rate"});
    std::vector<std::string> accelerations = {"acceleration_x", "acceleration_y", "acceleration_z"};
    accelerations.resize(D);
    this->set_beside(std::move(accelerations));
  }

  // For most volumes a bound decides.
  bool continues(const double* own, const double* const* steps, const double* spread) const override {
    return surely_continues(own, spread) || Base::continues(own, steps, spread);
  }

  double step_limit(double t, double dx) const override {
    const Gravity& gravity = this->step();
    const double most = (gravity.radial ? gravity.g_max : 0) + largest_external(gravity, D, dx);
    const double fall =
        most > 0 ? gravity_cfl * std::sqrt(dx / most) : std::numeric_limits<double>::infinity();
    return gravity.radial ? std::min(fall, expansion_fraction * std::abs(t)) : fall;
  }

  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &parameters_; }

 private:
  // Strictly inside the limits, so that rounding has no influence: smallest densities, energies and entropies, largest momenta.
  static bool surely_continues(const double* q, const double* spread) {
    const auto is_left = [&](int n, double part) { return q[n] - spread[n] > (part + 1e-9) * q[n]; };
    const double density = q[0] - spread[0], least = q[D + 1] - spread[D + 1] - 1e-9 * q[D + 1];
    double momentum2 = 0;
    for (int a = 1; a <= D; ++a) {
      const double m = std::abs(q[a]) + spread[a];
      momentum2 += m * m;
    }
    if (!is_left(0, solvers::kept_part)) return false;
    return dual_energy ? least > 0 && is_left(D + 2, 0) && momentum2 < 1e300
                       : momentum2 < 2 * density * least;
  }

  Parameters parameters_;
  std::vector<Derived> derived_;
};

template <class P>
std::unique_ptr<Solver> make(const Parameters& parameters, const SchemeWords& scheme) {
  DeviceKernels<P>::use_built();
  return std::make_unique<EulerSolver<P>>(parameters, choice_of<P>(scheme));
}

}  // namespace

std::unique_ptr<Solver> make_solver(int dim, const Parameters& parameters, const SchemeWords& scheme) {
  MEANDER_ASSERT(dim == 2 || dim == 3);
  if (parameters.dual_energy)
    return dim == 2 ? make<DualEnergyTerms<2>>(parameters, scheme)
                    : make<DualEnergyTerms<3>>(parameters, scheme);
  return dim == 2 ? make<Terms<2>>(parameters, scheme) : make<Terms<3>>(parameters, scheme);
}

}  // namespace meander::euler
