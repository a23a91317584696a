// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Means of the gas over shells about a centre, and what is read off them: turnaround and shock radius.

#include <vector>

#include "simulation/diagnostics/shell_sums.hpp"

namespace meander::euler {

struct RadialProfile {
  double dr = 0;                        // shell i reaches from i dr to (i + 1) dr
  std::vector<double> density;          // volume means
  std::vector<double> radial_velocity;  // mass-weighted mean
  std::vector<double> pressure;         // volume means

  std::size_t size() const { return density.size(); }
  double radius(std::size_t shell) const { return (static_cast<double>(shell) + 0.5) * dr; }
};

// Euler unknowns (density, momentum, total energy density) in shells up to `radius`, one finest volume wide.
// Shells that no volume reaches into are filled from their neighbours. The same bits for any number of
// threads and ranks. Collective.
RadialProfile radial_profile(const simulation::StateView& view, const std::array<double, 3>& centre,
                             double radius, double gamma);

// Outermost radius where `values` turns from negative (inside) to positive, linear between shells; 0 where it
// never does.
double outermost_sign_change(const RadialProfile& profile, const std::vector<double>& values);

// Radius where gas stands still between expansion and collapse: u = 2 x / tau in supercomoving variables, tau
// < 0; 0 if there is none yet.
double turnaround_radius(const RadialProfile& profile, double tau);

// Accretion shock: inside the turnaround, where the infall (u - 2 x / tau) has fallen to half of its largest
// value; 0 without a turnaround.
double accretion_shock_radius(const RadialProfile& profile, double tau);

// Blast wave: where the pressure falls most steeply outwards; 0 in a gas of uniform pressure.
double blast_radius(const RadialProfile& profile);

}  // namespace meander::euler
