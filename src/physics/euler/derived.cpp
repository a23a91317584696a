// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/derived.hpp"

#include <cmath>
#include <utility>

#include "physics/euler/dual_energy_terms.hpp"

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

}  // namespace meander::euler
