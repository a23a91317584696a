// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fields by which formulas of the input describe a state of an equation, such as its primitive variables, and the
// unknowns that follow from them.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace meander::simulation {

struct FormulaField {
  std::string name, meaning;   // "velocity-x", "velocity along x"
  std::string otherwise = {};  // the formula without one; empty: it is required
};

struct FormulaFields {
  std::vector<FormulaField> fields;
  std::vector<std::pair<std::string, double>> constants = {};  // known to formulas: "gamma"

  // The unknowns at a point from the values of the fields there, both in order. Unknowns that Solver::complete()
  // sets may be left out.
  std::function<void(const double* values, double* q)> unknowns = {};

  // Makes the unknowns of a volume from the means of what unknowns() gives, in place of Solver::complete().
  std::function<void(double* q)> from_means = {};

  // In place of it, for unknowns that contain derivatives, as point values: `at` gives the values of the fields at any
  // point; dx is the width of the volume about x.
  using At = std::function<void(const double* x, double* values)>;
  std::function<void(const At& at, const double* x, double dx, double* q)> unknowns_about = {};

  // The first field that makes the values inadmissible, and why: "must be positive". Null: all finite values are
  // admissible.
  struct Refusal {
    std::size_t field;
    const char* why;
  };
  std::function<std::optional<Refusal>(const double* values)> refusal = {};
};

}  // namespace meander::simulation
