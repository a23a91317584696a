// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravitational radiation through spheres: the modes l = 2, m = -2 .. 2 of Psi4 (weyl.hpp) for spin weight
// -2, that is, integrals of Psi4 times the conjugate of -2Y_2m over all directions from the centre.

#include <array>
#include <complex>
#include <vector>

#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

inline constexpr std::size_t psi4_mode_count = 5;  // m = -2 .. 2

// -2Y_2m (Goldberg et al. 1967), m = -2 .. 2.
std::complex<double> spin_weighted_harmonic(int m, double theta, double phi);

// The modes on the sphere of that radius, inside the domain. The points are Gauss-Legendre points in
// cos(theta) and equal angles phi. The Weyl tensor at each point is computed from the unknowns, interpolated
// at sixth order, and from derivatives of the interpolants, of fifth order, both across the faces of patches
// (point_samples.hpp). Bitwise identical for any number of ranks and threads. Collective.
std::array<std::complex<double>, psi4_mode_count> psi4_modes(const simulation::StateView& view,
                                                             const std::array<double, 3>& centre,
                                                             double radius);

// Columns "psi4_r40_2_-2_re", "..._im", ... of history.csv, for one sphere after another.
simulation::DiagnosticEntry psi4_modes_entry();

}  // namespace meander::ccz4
