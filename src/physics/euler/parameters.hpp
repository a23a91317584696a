// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parameters of the Euler solver, from the input file. Trivially copyable: copied to a device as they are.

#include <cstdint>

namespace meander::solvers {}

namespace meander::euler {

// Terms and kernels are written in the words of room solvers (Pack, fma, PatchTask), unqualified.
using namespace solvers;

struct Parameters {
  double gamma = 1.4;          // ratio of specific heats, > 1
  double density_floor = 0.0;  // 0: none; a state below it is raised to it, and counted
  double pressure_floor = 0.0;
  bool dual_energy = false;     // DualEnergyTerms in place of Terms
  bool gravity_fields = false;  // patches have a field for each component of an external acceleration
  bool potential = false;       // patches carry the potential of self-gravity and its rate
};

}  // namespace meander::euler
