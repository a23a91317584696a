// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenarios/checks.hpp"
#include "simulation/scenarios/gas_state.hpp"
#include "simulation/scenarios/makers.hpp"

namespace meander::simulation {

namespace {

class Uniform final : public Scenario {
 public:
  void describe(io::Fields& fields) override {
    fields.number("density", state_.density, "density", "density everywhere", io::greater_than(0));
    fields.numbers("velocity", velocity_, "velocity", "one number an axis; empty: at rest");
    fields.number("pressure", state_.pressure, "pressure", "pressure everywhere", io::greater_than(0));
  }
  void set_up(const io::Fields& fields, const Setting& setting) override {
    const auto velocity = checked_vector(fields, "velocity", velocity_, setting);
    for (std::size_t d = 0; d < velocity.size(); ++d) state_.velocity[d] = velocity[d];
    if (!(state_.density > 0)) fields.reject("density", "must be positive");
    if (!(state_.pressure > 0)) fields.reject("pressure", "must be positive");
    set_unknowns(state_, setting.dim, setting.euler.gamma, unknowns_);
    count_ = euler_unknowns(setting.dim);
  }
  void initial(const double*, double, double* q) const override {
    for (int u = 0; u < count_; ++u) q[u] = unknowns_[u];
  }

 private:
  std::vector<double> velocity_;
  GasState state_;
  double unknowns_[5] = {};
  int count_ = 0;
};

}  // namespace

std::unique_ptr<Scenario> make_uniform() {
  return std::make_unique<Uniform>();
}

}  // namespace meander::simulation
