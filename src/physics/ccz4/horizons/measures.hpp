// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mass, spin and shape of a horizon.

#include "physics/ccz4/horizons/search.hpp"

namespace meander::ccz4 {

struct HorizonMeasures {
  double area = 0;
  double irreducible_mass = 0;    // sqrt(area / 16 pi)
  Point<3> coordinate_spin{};     // angular momentum by rotations about the centroid
  Point<3> spin{};                // by approximate Killing vectors
  double killing_eigenvalue = 0;  // the least, times the areal radius squared: 0 for an exact symmetry
  double christodoulou_mass = 0;  // M^2 = M_irr^2 + J^2 / (4 M_irr^2)
  double chi = 0;                 // J / M^2
  Point<3> centroid{};            // mean position over the area
  double mean_radius = 0, least_radius = 0, largest_radius = 0;  // coordinate distance from the centroid
  double equatorial = 0, polar = 0;                              // circumferences
  double tail = 0;  // share of the two highest l in the power of the shape
};

// Measures of a surface that a search has found. The equator lies in the plane of coordinates through the centroid,
// perpendicular to the spin (to the z axis if chi < 0.01); the polar circumference is the mean over two perpendicular
// planes through its axis.
HorizonMeasures measure_horizon(const HorizonFinder& finder, const FieldSource& source,
                                const SampledSurface& surface);

// Approximate Killing vectors of a surface (Cook and Whiting 2007, Phys. Rev. D 76, 041501; Lovelace et al. 2008, Phys.
// Rev. D 78, 084017, appendix A): xi^A = epsilon^AB D_B z for the three z that minimise the integral of |D_<A D_B> z|^2
// over that of |D z|^2, normalised by the integral of (z - <z>)^2 = area^3 / (48 pi^2).
struct KillingPotentials {
  double eigenvalue[3] = {};  // ascending, 1 / length^2
  std::vector<double> z[3];   // by mode, without l = 0
};
KillingPotentials killing_potentials(const SphereGrid& grid, const std::vector<SurfaceElement>& elements);

}  // namespace meander::ccz4
