// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Equations and scenarios from outside the library do not hide existing ones. Their function is tested with the tutorial
// (tests/installed).

#include <gtest/gtest.h>

#include <stdexcept>

#include "simulation/module.hpp"

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

}  // namespace
}  // namespace meander::simulation
