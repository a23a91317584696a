// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/scenarios/vortex.hpp"

#include <fmt/format.h>

#include <cmath>

#include "physics/euler/module.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::euler {

using namespace simulation;

// Swirl velocity u(r) = swirl (r/R) exp((1 - r^2/R^2) / 2). The balance dp/dr = rho u^2 / r with constant
// entropy gives T = T_far - (gamma - 1) / gamma * swirl^2 / 2 * exp(1 - r^2/R^2) for T = p / rho.
double Vortex::core_temperature() const {
  return pressure / density - (gamma - 1) / gamma * 0.5 * swirl * swirl * std::exp(1.0);
}

GasState Vortex::at(double x, double y, double t) const {
  double d[2] = {x - centre[0] - velocity[0] * t, y - centre[1] - velocity[1] * t};
  for (int a = 0; a < 2; ++a) d[a] -= edge[a] * std::round(d[a] / edge[a]);
  const double s2 = (d[0] * d[0] + d[1] * d[1]) / (radius * radius);
  const double bell = std::exp(0.5 * (1 - s2));
  const double far = pressure / density;
  const double temperature = far - (gamma - 1) / gamma * 0.5 * swirl * swirl * bell * bell;
  GasState state;
  state.density = density * std::pow(temperature / far, 1 / (gamma - 1));
  state.pressure = state.density * temperature;
  state.velocity[0] = velocity[0] - swirl * bell * d[1] / radius;
  state.velocity[1] = velocity[1] + swirl * bell * d[0] / radius;
  return state;
}

void Vortex::mean(double x, double y, double dx, double t, int dim, double* q) const {
  // Three Gauss points along each axis: sixth order.
  const double node = 0.5 * std::sqrt(0.6);
  const double nodes[3] = {-node, 0, node};
  const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  for (int u = 0; u < euler_unknowns(dim); ++u) q[u] = 0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i)
      add_unknowns(at(x + nodes[i] * dx, y + nodes[j] * dx, t), dim, gamma, weights[i] * weights[j], q);
  }
}

namespace {

class VortexScenario final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("density", vortex_.density, "density", "density far from the vortex", io::greater_than(0));
    fields.number("pressure", vortex_.pressure, "pressure", "pressure far from the vortex",
                  io::greater_than(0));
    fields.numbers("velocity", velocity_, "velocity", "velocity of the uniform flow along x and y");
    fields.number("swirl", vortex_.swirl, "velocity", "maximum swirl speed, attained at `radius`");
    fields.number("radius", vortex_.radius, "length", "radius of the maximum swirl speed",
                  io::greater_than(0));
    fields.numbers("centre", centre_, "length",
                   "centre of the vortex at t = 0, one number for each axis; empty: the domain's centre");
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    if (!(vortex_.density > 0)) fields.reject("density", "must be positive");
    if (!(vortex_.pressure > 0)) fields.reject("pressure", "must be positive");
    if (velocity_.size() != 2)
      fields.reject("velocity", fmt::format("must have 2 numbers (x and y), but has {}", velocity_.size()));
    const auto centre = checked_centre(fields, "centre", centre_, setup);
    dim_ = setup.dim;
    vortex_.gamma = parameters_of(setup).gamma;
    double shortest = setup.upper[0] - setup.lower[0];
    for (std::size_t a = 0; a < 2; ++a) {
      vortex_.velocity[a] = velocity_[a];
      vortex_.centre[a] = centre[a];
      vortex_.edge[a] = setup.upper[a] - setup.lower[a];
      shortest = std::min(shortest, vortex_.edge[a]);
    }
    if (!(vortex_.radius > 0)) fields.reject("radius", "must be positive");
    if (vortex_.radius > 0.5 * shortest)
      fields.reject("radius",
                    fmt::format("{} is more than half of the domain's edge {}", vortex_.radius, shortest));
    if (!(vortex_.core_temperature() > 0))
      fields.reject("swirl", fmt::format("{} is too large: pressure / density at the centre would be {}",
                                         vortex_.swirl, vortex_.core_temperature()));
  }

  void initial(const double* centre, double dx, double* q) const override {
    vortex_.mean(centre[0], centre[1], dx, 0, dim_, q);
  }
  void boundary(const double* x, double dx, double t, double* q) const override {
    vortex_.mean(x[0], x[1], dx, t, dim_, q);
  }

 private:
  Vortex vortex_;
  std::vector<double> velocity_ = {1, 1}, centre_;
  int dim_ = 2;
};

}  // namespace

std::unique_ptr<Scenario> make_vortex() {
  return std::make_unique<VortexScenario>();
}

}  // namespace meander::euler
