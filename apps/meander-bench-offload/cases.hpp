// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The solvers that the benchmark measures, by the words of its option --equations.

#include <memory>
#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::bench {

const std::vector<std::string>& equation_names();

// Null if there is no such solver in that number of dimensions.
std::unique_ptr<solvers::Solver> solver_of(const std::string& equation, int dimensions);

}  // namespace meander::bench
