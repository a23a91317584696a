// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Equations and scenarios from outside the library do not hide existing ones. Their function is tested with the tutorial
// (tests/installed).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulation/config/config.hpp"
#include "simulation/own_equation.hpp"
#include "simulation/simulation.hpp"
#include "solvers/conservation_law.hpp"

namespace meander::simulation {
namespace {

TEST(Registry, RefusesNamesThatAreTaken) {
  const std::size_t of_equations = modules().size(), of_scenarios = scenarios().size();
  for (const char* name : {"euler", "ccz4"}) {
    Module module;
    module.name = name;
    EXPECT_THROW(register_module(module), std::invalid_argument) << name;
  }
  ScenarioEntry scenario;
  scenario.name = "sod";
  EXPECT_THROW(add_scenario(scenario), std::invalid_argument);
  EXPECT_EQ(modules().size(), of_equations);
  EXPECT_EQ(scenarios().size(), of_scenarios);
}

// N unknowns that drift along x.
template <int N>
struct Wide {
  template <int D>
  struct Law : solvers::ConservationLaw<Law, D, N> {
    template <class T>
    MEANDER_TERM void flux(const T* q, const T*, int axis, T* f) const {
      for (int n = 0; n < N; ++n) f[n] = axis == 0 ? q[n] : T(0.0);
    }
    template <class T>
    MEANDER_TERM T max_eigenvalue(const T*, const T*, int axis) const {
      return T(axis == 0 ? 1.0 : 0.0);
    }
  };
};

class Ramp final : public Scenario {
 public:
  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable&, const ProblemSetup&) override {}
  void initial(const double* x, double, double* q) const override {
    for (int n = 0; n < 70; ++n) q[n] = n + (x[0] < 0.5 ? 1.0 : 0.0);
  }
};

std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (int n = 0; n < count; ++n) all.push_back(fmt::format("u{}", n));
  return all;
}

// Registers an equation of 70 unknowns and runs it on an adaptive mesh with plot quantities: every buffer for the
// state of one volume must hold them. Returns an exit code.
int run_seventy_unknowns() {
  register_equation<Wide<70>::Law>("wide", "seventy unknowns", names(70));
  register_scenario<Ramp>("ramp", "a step in every unknown", "wide");
  for (const char* scheme : {"godunov", "muscl"}) {
    const Config config = load_config_text(
        "[domain]\ndimensions = 2\n[boundary]\nall = \"scenario\"\n[mesh]\npatch-size = 6\nmin-level = "
        "1\nmax-level = 2\n"
        "[[refinement]]\nkind = \"jump\"\nvariable = \"u0\"\nrefine = 0.3\n[solver]\nequation = \"wide\"\n"
        "[scenario]\nname = \"ramp\"\n",
        "wide.toml", {fmt::format("solver.scheme={}", scheme)}, scenarios(), 1e9);
    const auto simulation = make_simulation(config, 2);
    while (simulation->step() < 12) simulation->advance(1.0);
    if (simulation->leaves().per_level[1] == 0 || simulation->leaves().per_level[2] == 0) return 1;
    const StateView view = simulation->view();
    double largest = 0;
    for (const auto& patch : view.patches) largest = std::max(largest, patch.q[view.layout.at(69, 0, 0)]);
    if (!(largest > 69.5 && largest < 70.0 + 1e-10)) return 2;
  }
  return 0;
}

TEST(Registry, AnEquationOfSeventyUnknownsRuns) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // threads of other tests would leak in a fork
  EXPECT_EXIT(std::exit(run_seventy_unknowns()), testing::ExitedWithCode(0), "");
}

// An own equation takes formulas by the names of its unknowns. Returns an exit code.
int run_formulas() {
  register_equation<Wide<2>::Law>("pair", "two unknowns", {"left_part", "right"});
  const auto config = [](const std::string& fields) {
    return load_config_text(
        "[domain]\ndimensions = 2\n[boundary]\nall = {kind = \"inflow\", left-part = 1, right = "
        "\"y\"}\n[mesh]\npatch-size = 6\n[solver]\nequation = \"pair\"\nscheme = "
        "\"muscl\"\n[scenario]\nname = \"formulas\"\nfields = " +
            fields,
        "pair.toml", {}, scenarios(), 1e9);
  };
  const auto simulation = make_simulation(config("{left-part = 1, right = \"y\"}"), 2);
  while (simulation->step() < 12) simulation->advance(1.0);
  const StateView view = simulation->view();
  const double* q = view.patches[0].q;
  if (std::abs(q[view.layout.at(0, 2, 3)] - 1) > 1e-12 ||
      std::abs(q[view.layout.at(1, 2, 3)] - 3.5 / 6) > 1e-12)
    return 1;
  for (const char* wrong : {"{left-part = 1}", "{left-part = 1, right = 2, density = 3}",
                            "{left-part = 1, right = \"left_part\"}"}) {
    try {
      config(wrong);
      return 2;
    } catch (const InputError&) {
    }
  }
  return 0;
}

TEST(Registry, AnOwnEquationTakesFormulas) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::exit(run_formulas()), testing::ExitedWithCode(0), "");
}

TEST(Registry, RefusesMoreUnknownsThanBuffersHold) {
  constexpr int N = solvers::most_unknowns + 1;
  try {
    register_equation<Wide<N>::template Law>("too-wide", "", names(N));
    FAIL() << "registered";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "equation too-wide has 97 unknowns, but at most 96 are possible (solvers/solver.hpp)");
  }
  EXPECT_EQ(find_module("too-wide"), nullptr);
}

}  // namespace
}  // namespace meander::simulation
