// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Shock tube: two constant states, separated by a diaphragm normal to one axis (Sod 1978, J. Comput. Phys.
// 27, 1).

#include <fmt/format.h>

#include "physics/euler/module.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

class Sod final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.choice("axis", axis_name_, {"x", "y", "z"}, "axis of the tube");
    fields.number("position", position_, "length", "position of the diaphragm on the axis");
    fields.number("left-density", left_.density, "density", "density below the diaphragm",
                  io::greater_than(0));
    fields.number("left-velocity", left_velocity_, "velocity", "velocity along the axis below the diaphragm");
    fields.number("left-pressure", left_.pressure, "pressure", "pressure below the diaphragm",
                  io::greater_than(0));
    fields.number("right-density", right_.density, "density", "density above the diaphragm",
                  io::greater_than(0));
    fields.number("right-velocity", right_velocity_, "velocity",
                  "velocity along the axis above the diaphragm");
    fields.number("right-pressure", right_.pressure, "pressure", "pressure above the diaphragm",
                  io::greater_than(0));
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    axis_ = axis_name_ == "x" ? 0 : axis_name_ == "y" ? 1 : 2;
    if (axis_ >= setup.dim) fields.reject("axis", "there is no axis z in 2D; allowed: \"x\", \"y\"");
    const auto a = static_cast<std::size_t>(axis_);
    if (!(position_ > setup.lower[a] && position_ < setup.upper[a]))
      fields.reject("position", fmt::format("{} lies outside the domain: axis {} runs from {} to {}",
                                            position_, axis_name_, setup.lower[a], setup.upper[a]));
    check(fields, "left", left_);
    check(fields, "right", right_);
    left_.velocity[axis_] = left_velocity_;
    right_.velocity[axis_] = right_velocity_;
    dim_ = setup.dim;
    gamma_ = parameters_of(setup).gamma;
  }

  double default_end() const override { return 0.2; }

  void initial(const double* centre, double dx, double* q) const override {
    const double left = fraction_below(centre[axis_], dx, position_);
    // Volumes within one state hold it exactly.
    if (left == 1 || left == 0) return set_unknowns(left == 1 ? left_ : right_, dim_, gamma_, q);
    set_unknowns(right_, dim_, gamma_, q);
    for (int u = 0; u < euler_unknowns(dim_); ++u) q[u] *= 1 - left;
    add_unknowns(left_, dim_, gamma_, left, q);
  }

 private:
  static void check(const io::KeyTable& fields, const std::string& side, const GasState& state) {
    if (!(state.density > 0)) fields.reject(side + "-density", "must be positive");
    if (!(state.pressure > 0)) fields.reject(side + "-pressure", "must be positive");
  }

  std::string axis_name_ = "x";
  double position_ = 0.5, left_velocity_ = 0, right_velocity_ = 0;
  GasState left_{1.0, {0, 0, 0}, 1.0}, right_{0.125, {0, 0, 0}, 0.1};
  int axis_ = 0, dim_ = 3;
  double gamma_ = 1.4;
};

}  // namespace

std::unique_ptr<Scenario> make_sod() {
  return std::make_unique<Sod>();
}

}  // namespace meander::euler
