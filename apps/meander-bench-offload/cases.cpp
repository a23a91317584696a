// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include "physics/ccz4/solver.hpp"
#include "physics/euler/solver.hpp"

namespace meander::bench {

const std::vector<std::string>& equation_names() {
  static const std::vector<std::string> names{"euler", "euler-muscl", "ccz4", "ccz4-fourth-order"};
  return names;
}

std::unique_ptr<solvers::Solver> solver_of(const std::string& equation, int dimensions) {
  if (equation == "euler") return euler::make_solver(dimensions, {});
  if (equation == "euler-muscl") return euler::make_solver(dimensions, {}, {.scheme = "muscl"});
  if (dimensions != 3) return nullptr;
  ccz4::Parameters parameters;
  parameters.scheme = equation == "ccz4" ? ccz4::Scheme::rusanov : ccz4::Scheme::fourth_order;
  return ccz4::make_solver(parameters);
}

}  // namespace meander::bench
