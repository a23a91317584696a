// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The only header for a program with its own equation: registration, base classes for its law and its
// scenario, and the program as one function. Example: apps/tutorial-advection.

#include "meander/program.hpp"
#include "simulation/own_equation.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "solvers/conservation_law.hpp"
