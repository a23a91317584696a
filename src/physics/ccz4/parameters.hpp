// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the CCZ4 solver is told by the input file. Trivially copyable: it travels to a device as it is. Units:
// G = c = 1, lengths and times in the scenario's unit (M for black holes).

#include <cstdint>
#include "physics/ccz4/names.hpp"

namespace meander::ccz4 {

enum class Scheme : std::uint8_t { rusanov, fourth_order };
enum class Slicing : std::uint8_t { one_plus_log, harmonic };  // g(a) = 2 / a or 1

// Fourth order: with less dissipation, noise grows exponentially at resolution jumps
// (tests/simulation/test_physics_jumps.cpp).
inline constexpr double least_dissipation_at_jumps = 0.2;

struct Parameters {
  Scheme scheme = Scheme::fourth_order;
  Slicing slicing = Slicing::one_plus_log;
  bool evolves_shift = true;  // s = 1: Gamma driver; false: the shift stays as it is
  double k1 = 0.1;            // damping of the constraints, 1 / time
  double k2 = 0.0;
  // a k1, as the paper has it, or k1 alone (Alic et al. 2013): it damps where the lapse has collapsed, too,
  // which punctures want.
  bool damps_with_lapse = true;
  double k3 = 0.5;   // 1: covariant Z4
  double tau = 1.0;  // time in which det g~ and tr A~ relax
  double eta = 1.0;  // damping of the Gamma driver, 1 / time
  double f = 0.75;   // speed of the Gamma driver, squared and times 3/4
  double e = 1.0;    // speed of Theta over that of light, 0.5 to 2
  double c = 1.0;    // 0 or 1: Theta and its products in lapse and curvature
  double mu = 0.2;   // ordering of second derivatives in B, > 0
  // Rate, 1 / time, at which A_k, B_k^i, D_kij and P_k are drawn to the derivatives of lapse, shift, metric
  // and phi. The paper has none (0): then, where the shift evolves, violations grow at about 0.08 at
  // resolution jumps, and more slowly without them. 1 takes no smaller steps than tau = 1 does. Punctures
  // want 2 to 10 / M: shift and B_k^i part company there at t = 10 M otherwise.
  double ordering = 1.0;
  double dissipation = least_dissipation_at_jumps;  // Kreiss-Oliger, 0 to 1; fourth order only
  // Floors of lapse and conformal factor; a volume below one is lifted to it, and counted.
  double lapse_floor = 1e-4;
  double phi_floor = 1e-4;
  double middle[3] = {0, 0, 0};  // of the domain: where waves that leave it come from
};

}  // namespace meander::ccz4
