// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario.hpp"

namespace meander::simulation {

std::vector<std::string> Equation::warnings(const io::KeyTable&, bool) const {
  return {};
}

std::vector<std::string> Scenario::warnings(const io::KeyTable&) const {
  return {};
}
void Scenario::boundary(const double* x, double dx, double, double* q) const {
  initial(x, dx, q);
}
void Scenario::check_widths(const io::KeyTable&, const std::vector<double>&) const {}
std::vector<Point<3>> Scenario::tracked_points() const {
  return {};
}
void Scenario::prepare_step(const StateView&, solvers::Solver&) {}
void Scenario::prepare_levels(const StateView&, const LevelTimes&, solvers::Solver&) {}
std::vector<Measure> Scenario::measure(const StateView&) const {
  return {};
}

}  // namespace meander::simulation
