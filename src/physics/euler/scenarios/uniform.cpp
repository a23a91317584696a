// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "physics/euler/module.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

class Uniform final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("density", state_.density, "density", "uniform density", io::greater_than(0));
    fields.numbers("velocity", velocity_, "velocity",
                   "uniform velocity, one number for each axis; empty: at rest");
    fields.number("pressure", state_.pressure, "pressure", "uniform pressure", io::greater_than(0));
    fields.number("noise", noise_, "",
                  "amplitude of random numbers added to density, velocity and pressure in every volume, "
                  "relative to density, sound speed and pressure; 0: none",
                  io::between(0, 0.5));
    fields.integer("random-seed", random_seed_, "", "seed of the random numbers", io::at_least(0));
  }
  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    const auto velocity = checked_vector(fields, "velocity", velocity_, setup);
    for (std::size_t d = 0; d < velocity.size(); ++d) state_.velocity[d] = velocity[d];
    if (!(state_.density > 0)) fields.reject("density", "must be positive");
    if (!(state_.pressure > 0)) fields.reject("pressure", "must be positive");
    setup_ = setup;
    solver_ = setup.equation->make_solver(setup.dim);
  }
  void initial(const double* centre, double dx, double* q) const override {
    if (noise_ == 0) return boundary(centre, dx, 0, q);
    std::array<std::int64_t, 3> cell{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(setup_.dim); ++a)
      cell[a] = static_cast<std::int64_t>(std::floor((centre[a] - setup_.lower[a]) / dx));
    const auto random = [&](int quantity) {
      const auto seed = static_cast<std::uint64_t>(random_seed_) * 8 + static_cast<std::uint64_t>(quantity);
      return noise_ * CellNoise{setup_.dim, {}, 1.0, seed}.in_cell(cell);
    };
    const double sound = std::sqrt(parameters_of(setup_).gamma * state_.pressure / state_.density);
    GasState noisy = state_;
    noisy.density *= 1 + random(0);
    noisy.pressure *= 1 + random(1);
    for (int d = 0; d < setup_.dim; ++d) noisy.velocity[static_cast<std::size_t>(d)] += sound * random(2 + d);
    set_unknowns(noisy, setup_.dim, parameters_of(setup_).gamma, q);
  }
  void boundary(const double*, double, double, double* q) const override {
    set_unknowns(state_, setup_.dim, parameters_of(setup_).gamma, q);
  }
  std::vector<Measure> measure(const StateView& view) const override {
    return noise_ == 0 ? std::vector<Measure>() : deviation(view, *this, *solver_);
  }

 private:
  ProblemSetup setup_;
  std::unique_ptr<solvers::Solver> solver_;
  std::vector<double> velocity_;
  GasState state_;
  double noise_ = 0;
  int random_seed_ = 1;
};

}  // namespace

std::unique_ptr<Scenario> make_uniform() {
  return std::make_unique<Uniform>();
}

}  // namespace meander::euler
