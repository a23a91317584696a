// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A scenario for tests of inputs, and inputs with it.

#include <memory>
#include <string>
#include <vector>

#include "simulation/config/config.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

// A scenario with one parameter of each kind, which refuses density 13 in set_up().
class Probe : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("density", density_, "density", "Density everywhere.", io::greater_than(0));
    fields.choice("axis", axis_, {"x", "y", "z"}, "Axis of the jump.");
    fields.numbers("centre", centre_, "length", "Centre.");
    fields.flag("noise", noise_, "With noise.");
  }
  void set_up(const io::KeyTable& fields, const ProblemSetup& setting) override {
    if (density_ == 13) fields.reject("density", "must not be 13");
    if (setting.dim == 2 && axis_ == "z") fields.reject("axis", "is not in 2 dimensions");
  }
  double default_start() const override { return -2; }
  double default_end() const override { return -1; }
  void initial(const double*, double, double* q) const override { q[0] = density_; }
  void boundary(const double*, double, double, double*) const override {}
  void prepare_step(const StateView&, solvers::Solver&) override {}
  std::vector<Measure> measure(const StateView&) const override { return {}; }

  double density_ = 1;
  std::string axis_ = "x";
  std::vector<double> centre_;
  bool noise_ = false;
};

inline const std::vector<ScenarioEntry>& probes() {
  static const std::vector<ScenarioEntry> entries = {
      {"probe", "For tests.", {2, 3}, [] { return std::make_unique<Probe>(); }},
      {"flat-probe", "For tests.", {2}, [] { return std::make_unique<Probe>(); }}};
  return entries;
}

inline constexpr double plenty = 1e12;

inline Config load(const std::string& text, const std::vector<std::string>& settings = {},
                   double memory = plenty) {
  return load_config_text(text, "in.toml", settings, probes(), memory);
}

inline const std::string probe = "[scenario]\nname = \"probe\"\n";

}  // namespace meander::simulation
