// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Means of the gas over spherical shells about a centre, and the turnaround and shock radii derived from
// them.

#include <vector>

#include "simulation/diagnostics/shell_sums.hpp"

namespace meander::euler {

struct RadialProfile {
  double dr = 0;                        // shell i extends from i dr to (i + 1) dr
  double excess = 0;                    // mass in all shells, less that of density 1
  std::vector<double> density;          // volume means
  std::vector<double> radial_velocity;  // mass-weighted mean
  std::vector<double> pressure;         // volume means

  std::size_t size() const { return density.size(); }
  double radius(std::size_t shell) const { return (static_cast<double>(shell) + 0.5) * dr; }
};

// Profile of the Euler unknowns (density, momentum, total energy density) in shells up to `radius`, with the
// finest volume width as their thickness. Empty shells are filled from their neighbours. Bitwise identical
// for any number of threads and ranks. Collective.
RadialProfile radial_profile(const simulation::StateView& view, const std::array<double, 3>& centre,
                             double radius, double gamma);

// Outermost radius where `values` changes from negative (inside) to positive, by linear interpolation between
// shells; 0 if there is none.
double outermost_sign_change(const RadialProfile& profile, const std::vector<double>& values);

// Turnaround radius, where gas is at rest between expansion and collapse: u = 2 x / tau in supercomoving
// variables, tau < 0; 0 if there is none yet.
double turnaround_radius(const RadialProfile& profile, double tau);

// Radius of the accretion shock: inside the turnaround, where the infall (u - 2 x / tau) has decreased to
// half of its maximum; 0 without a turnaround.
double accretion_shock_radius(const RadialProfile& profile, double tau);

// Radius of a blast wave, where the pressure decreases most steeply outwards; 0 in a gas of uniform pressure.
double blast_radius(const RadialProfile& profile);

}  // namespace meander::euler
