// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What scenarios with punctures know of their black holes.

#include <vector>

namespace meander::ccz4 {

class HasHoles {
 public:
  virtual ~HasHoles() = default;
  // The mass of each hole, in the order of the scenario's tracked points.
  virtual std::vector<double> hole_masses() const = 0;
};

}  // namespace meander::ccz4
