// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mass, momentum and angular momentum of Arnowitt, Deser and Misner as integrals over spheres (Alcubierre 2008, Introduction
// to 3+1 Numerical Relativity, app. A), in terms of the conformal metric g~ with det g~ = 1 and psi = phi^(-1/2), with flat
// area elements dS_j:
//   M   = 1 / (16 pi) integral (G~^j - 8 g~^jk d_k psi) dS_j,  G~^j = -d_k g~^jk,
//   P_i = 1 / (8 pi) integral phi^-3 (A~_i^j - 2/3 K delta_i^j) dS_j,
//   J_i = 1 / (8 pi) integral phi^-3 epsilon_imk x_m A~_k^j dS_j.
// At a finite radius r, M differs from that at infinity by terms in 1 / r; of holes in isotropic coordinates at rest it does
// not. P and J of Bowen-York data have the same value on every sphere around the holes; J of an axisymmetric vacuum, too.

#include <array>
#include <span>
#include <vector>

#include "physics/ccz4/diagnostics/spheres.hpp"
#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

struct AdmCharges {
  double mass = 0;
  std::array<double, 3> momentum{}, spin{};  // spin: the angular momentum about the centre
};

// On each sphere, which lies in the domain. Bitwise identical for any number of ranks and threads. Collective.
std::vector<AdmCharges> adm_charges(const simulation::StateView& view, const std::array<double, 3>& centre,
                                    std::span<const double> radii);

// The value at infinity of the polynomial in 1 / r through the values at the outermost radii, three at most.
double at_infinity(std::span<const double> radii, std::span<const double> values);

// diagnostics.adm-radii: columns "adm_mass_r40", "adm_px_r40", ..., "adm_jz_r40" of each sphere; with several spheres also
// "adm_mass", extrapolated to infinity.
simulation::DiagnosticEntry adm_charges_entry();

}  // namespace meander::ccz4
