// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What scenarios with punctures know of their black holes.

#include <cmath>
#include <span>
#include <vector>

#include "physics/ccz4/exact/punctures.hpp"
#include "simulation/scenario.hpp"

namespace meander::ccz4 {

// The larger of a hole's momentum P and spin S in units of its bare mass m, by |P| / m and |S| / m^2: the key to name when
// there are no initial data.
struct LargestVector {
  const char* key;  // "momentum", "spin"
  double size;
};
inline LargestVector largest_vector(const exact::Hole& hole) {
  const auto length = [](const double(&v)[3]) { return std::hypot(v[0], v[1], v[2]); };
  const double momentum = length(hole.momentum) / hole.mass, spin = length(hole.spin) / hole.mass / hole.mass;
  return spin > momentum ? LargestVector{"spin", spin} : LargestVector{"momentum", momentum};
}

// Rejects holes that planes of symmetry (simulation/mirrors.hpp) do not map onto each other. The keys of hole n: `position`,
// "mass", "momentum" and "spin", each followed by suffix[n].
void check_symmetry(const io::KeyTable& fields, const simulation::ProblemSetup& setup,
                    std::span<const exact::Hole> holes, const char* position,
                    std::span<const char* const> suffix);

class HasHoles {
 public:
  virtual ~HasHoles() = default;
  // The mass of each hole, in the order of the scenario's tracked points.
  virtual std::vector<double> hole_masses() const = 0;
};

}  // namespace meander::ccz4
