// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravitational radiation through spheres: the modes of Psi4 (weyl.hpp) for spin weight -2, that is, integrals
// of Psi4 times the conjugate of -2Y_lm (harmonics.hpp) over all directions from the centre.

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "simulation/state_view.hpp"

namespace meander::ccz4 {

inline constexpr int psi4_most_l = 8;

using Psi4Modes = std::vector<std::complex<double>>;  // by wave_mode_index(l, m)

// The modes 2 <= l <= l_max <= psi4_most_l, all m, on each sphere, which lie in the domain. The points are
// those of sphere_points(24). The Weyl tensor at each point is computed from the unknowns, interpolated
// at sixth order, and from derivatives of the interpolants, of fifth order, both across the faces of patches
// (point_gather.hpp). Bitwise identical for any number of ranks and threads, and for any l_max. Collective.
std::vector<Psi4Modes> psi4_modes(const simulation::StateView& view, const std::array<double, 3>& centre,
                                  std::span<const double> radii, int l_max);

}  // namespace meander::ccz4
