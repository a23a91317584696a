// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parameters of the CCZ4 solver, from the input file. Trivially copyable: copied to a device as they are.
// Units: G = c = 1, lengths and times in the scenario's unit (M for black holes).

#include <cstdint>

namespace meander::solvers {}

namespace meander::ccz4 {

// Terms and kernels are written in the words of room solvers (Pack, fma, PatchTask), unqualified.
using namespace solvers;

enum class Scheme : std::uint8_t { rusanov, fourth_order };
enum class Slicing : std::uint8_t { one_plus_log, harmonic };  // g(a) = 2 / a or 1

// Fourth order: noise grows exponentially at resolution jumps with less dissipation
// (tests/simulation/test_physics_jumps.cpp).
inline constexpr double least_dissipation_at_jumps = 0.2;

struct Parameters {
  Scheme scheme = Scheme::fourth_order;
  Slicing slicing = Slicing::one_plus_log;
  bool evolves_shift = true;  // s = 1: Gamma driver; false: constant shift
  double k1 = 0.1;            // damping of the constraints, 1 / time
  double k2 = 0.0;
  // True: a k1, as in the paper. False: k1 alone (Alic et al. 2013), which also damps where the lapse has
  // collapsed, as punctures require.
  bool damps_with_lapse = true;
  double k3 = 0.5;   // 1: covariant Z4
  double tau = 1.0;  // time in which det g~ and tr A~ relax
  double eta = 1.0;  // damping of the Gamma driver, 1 / time
  double f = 0.75;   // speed of the Gamma driver, squared and times 3/4
  double e = 1.0;    // speed of Theta over that of light, 0.5 to 2
  double c = 1.0;    // 0 or 1: Theta and its products in lapse and curvature
  double mu = 0.2;   // ordering of second derivatives in B, > 0
  // Relaxation rate, 1 / time, of A_k, B_k^i, D_kij and P_k to the derivatives of lapse, shift, metric and
  // phi. The paper has none (0): then violations grow at a rate of about 0.08 at resolution jumps where the
  // shift evolves, and more slowly without jumps. A rate of 1 requires no smaller steps than tau = 1.
  // Punctures require 2 to 10 / M: otherwise shift and B_k^i diverge there at t = 10 M.
  double ordering = 1.0;
  // Beyond these distances from the middle of the domain, eta, ordering and k1 fall as radius / distance
  // (Schnetter 2010, arXiv:1003.0859, eq. 14), so that they do not limit the steps of coarse levels. 0: constant.
  double eta_radius = 0, ordering_radius = 0, k1_radius = 0;
  double dissipation = least_dissipation_at_jumps;  // Kreiss-Oliger, 0 to 1; fourth order only
  // Floors of lapse and conformal factor. A volume below one is raised to it, and counted.
  double lapse_floor = 1e-4;
  double phi_floor = 1e-4;
  double middle[3] = {0, 0, 0};  // centre of the domain, from which outgoing waves are taken to come
};

}  // namespace meander::ccz4
