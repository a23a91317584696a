// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Theory of matter falling onto an overdensity in an Einstein-de Sitter universe.

namespace meander::euler {

// Ratio of the accretion shock radius to the turnaround radius for gamma = 5/3, 3D (Bertschinger 1985, ApJS
// 58, 39).
inline constexpr double bertschinger_shock = 0.338976;

// Comoving turnaround radius at scale factor a of matter that started at rest in comoving coordinates at a_i,
// about a mass excess (2D: per unit length) at the centre. 3/5 of the excess is in the growing mode. A shell
// turns around when its overdensity by linear theory is 1.0624 (2D: 0.8313); its density is then 9 pi^2 / 16
// (2D: 3.4990) times the mean. The 2D numbers solve x" = -(3 a / pi) (pi q^2 - pi x^2) / x for the shell that
// started at q. Holds while the excess within q is that of the whole seed: for a compensated seed, while q is less than 2/3
// of its compensation radius. (q / turnaround radius)^dim is the contrast above.
double turnaround_formula(int dim, double mass_excess, double a_i, double a);

}  // namespace meander::euler
