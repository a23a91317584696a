// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/derived.hpp"

#include <cmath>

#include "physics/euler/terms.hpp"

namespace meander::euler {
namespace {

template <int D>
struct Gas {
  double gamma, rho, u[D + 2];  // velocity, pressure, sound speed
  Gas(const void* parameters, const double* q)
      : gamma(static_cast<const Parameters*>(parameters)->gamma), rho(q[0]) {
    Terms<D>(*static_cast<const Parameters*>(parameters)).auxiliary(q, u);
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

template <int D>
std::vector<Derived> quantities() {
  std::vector<Derived> all;
  const std::vector<std::string> names = unknown_names(D);
  all.push_back({names[0], "", unknown<0>});
  all.push_back({names[1], "", unknown<1>});
  all.push_back({names[2], "", unknown<2>});
  all.push_back({names[3], "", unknown<3>});
  if constexpr (D == 3) all.push_back({names[4], "", unknown<4>});
  all.push_back({"velocity_x", "", velocity<D, 0>});
  all.push_back({"velocity_y", "", velocity<D, 1>});
  if constexpr (D == 3) all.push_back({"velocity_z", "", velocity<D, 2>});
  using Value = double (*)(const void*, const double*);
  const auto add = [&](const char* name, Value value) { all.push_back({name, "", value}); };
  add("pressure", [](const void* p, const double* q) { return Gas<D>(p, q).pressure(); });
  add("sound_speed", [](const void* p, const double* q) { return Gas<D>(p, q).sound(); });
  add("mach", [](const void* p, const double* q) {
    const Gas<D> gas(p, q);
    return gas.speed() / gas.sound();
  });
  add("internal_energy", [](const void* p, const double* q) {
    const Gas<D> gas(p, q);
    return gas.pressure() / ((gas.gamma - 1) * gas.rho);
  });
  add("temperature", [](const void* p, const double* q) {
    const Gas<D> gas(p, q);
    return gas.pressure() / gas.rho;
  });
  add("entropy", [](const void* p, const double* q) {
    const Gas<D> gas(p, q);
    return gas.pressure() / std::pow(gas.rho, gas.gamma);
  });
  return all;
}

}  // namespace

std::vector<std::string> unknown_names(int dim) {
  std::vector<std::string> names = {"density", "momentum_x", "momentum_y"};
  if (dim == 3) names.push_back("momentum_z");
  names.push_back("energy");
  return names;
}

std::vector<Derived> derived_quantities(int dim) {
  return dim == 3 ? quantities<3>() : quantities<2>();
}

}  // namespace meander::euler
