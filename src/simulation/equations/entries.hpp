// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What each equation's file gives to the table of equations().

#include "simulation/equation.hpp"

namespace meander::simulation {

EquationEntry euler_equation();
EquationEntry ccz4_equation();

}  // namespace meander::simulation
