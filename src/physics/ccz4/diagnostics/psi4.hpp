// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravitational radiation through spheres: Psi4 expanded in spherical harmonics of spin weight -2.

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "physics/ccz4/diagnostics/spheres.hpp"
#include "simulation/diagnostic.hpp"
#include "simulation/state_view.hpp"

namespace meander::ccz4 {

// -2Y_lm(theta, phi), l >= 2, |m| <= l, with the phases of Ajith et al. (2007, arXiv:0709.0093, eqs. II.7 and
// II.8), which are positive for l = 2. The recursion in l of Wigner's d functions (Varshalovich et al. 1988,
// sec. 4.8) is stable upwards from its first l = max(|m|, 2).
std::complex<double> spin_weighted_harmonic(int l, int m, double theta, double phi);

// Modes are numbered l by l, from l = 2 and m = -l on.
constexpr std::size_t wave_mode_count(int l_max) {
  return static_cast<std::size_t>((l_max + 1) * (l_max + 1) - 4);
}
constexpr std::size_t wave_mode_index(int l, int m) {
  return static_cast<std::size_t>(l * l - 4 + l + m);
}

inline constexpr int psi4_most_l = 8;

using Psi4Modes = std::vector<std::complex<double>>;  // by wave_mode_index(l, m)

// The modes of Psi4 (weyl.hpp) for spin weight -2, that is, integrals of Psi4 times the conjugate of -2Y_lm over all
// directions from the centre: 2 <= l <= l_max <= psi4_most_l, all m, on each sphere, which lie in the domain. The points are
// those of sphere_points(24). The Weyl tensor at each point is computed from the unknowns, interpolated
// at sixth order, and from derivatives of the interpolants, of fifth order, both across the faces of patches
// (point_gather.hpp). Bitwise identical for any number of ranks and threads, and for any l_max. Collective.
std::vector<Psi4Modes> psi4_modes(const simulation::StateView& view, const std::array<double, 3>& centre,
                                  std::span<const double> radii, int l_max);

// Modes of Psi4 in the files of a run: those with l = 2 as columns "psi4_r40_2_-2_re",
// "..._im", ... of history.csv, and all up to psi4-l-max every psi4-every in files
// waves/mp_psi4_l2_m-2_r40.00.asc, which kuibit and other readers of the Einstein Toolkit's files take. Their
// Psi4 has the other sign: +d^2/dt^2 (h_plus - i h_cross).
simulation::DiagnosticEntry psi4_output_entry();

}  // namespace meander::ccz4
