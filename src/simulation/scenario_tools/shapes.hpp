// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Regions of space by shape, from the keys of a table.

#include <functional>
#include <string>
#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

class Shape {
 public:
  // Whether a point, of as many coordinates as the domain has dimensions, lies within. May be called by several threads.
  using Contains = std::function<bool(const double* x)>;

  // Declares the key `shape` and those of every shape. The object's address must not change.
  void describe(io::KeyTable& keys);
  // Rejects keys that are missing, invalid or belong to another shape. The result does not depend on this object.
  Contains checked(const io::KeyTable& keys, const ProblemSetup& setup) const;

 private:
  std::string shape_, axis_ = "z";
  std::vector<double> lower_, upper_, centre_, radii_, normal_;
  double radius_ = 0, length_ = 0;
};

}  // namespace meander::simulation
