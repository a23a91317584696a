// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass excess about a centre as a function of radius, for gravity in spherical symmetry. Numerical method
// of Martel & Shapiro (1998, MNRAS 297, 467), Laplace(Phi) = 6 a (rho - 1).

#include <cstdint>
#include <functional>
#include <vector>

#include "physics/euler/gravity.hpp"
#include "simulation/diagnostics/shell_sums.hpp"
#include "simulation/level_times.hpp"

namespace meander::euler {

// Integrals over shells within a step of the coarsest level.
class ShellsInTime {
 public:
  // `sum(sums, coarsest)` adds the leaves of this level and finer ones (ShellSums).
  using Sum = std::function<void(simulation::ShellSums<1>& sums, int coarsest)>;

  // All levels stand at the same time. Returns the integrals over balls. Collective.
  std::vector<double> inside(std::size_t levels, const Sum& sum);
  // Levels from times.first on stand at the same time, and the sums of coarser ones are interpolated linearly in time
  // between the beginning of their step and its end (before refluxing). Reads the leaves that have advanced since the
  // last call. To be called at each beginning of a step of any level, in order; at the first one, the function above
  // takes its place. Collective.
  std::vector<double> inside(const simulation::LevelTimes& times, const Sum& sum);

 private:
  // The sums of a level at the beginning and at the end of its step.
  struct Step {
    std::vector<std::uint64_t> begin, end;
  };
  simulation::ShellSums<1> sums_;
  std::vector<Step> steps_;  // by level
  int first_ = 0;            // this level and finer ones began a step at the last call
};

// Two functions of the radius, both at i dr, i = 0 .. grid.count (2D: per unit length).
struct MassProfile {
  std::vector<double> excess;  // dM(<r): the integral of rho - 1 over the ball
  std::vector<double> growth;  // its rate, minus the mass flux through the sphere
};

// Bitwise identical for any number of threads and ranks. `domain_volume` sets the rounding of every volume's
// contribution: 2^-52 of it.
class MassProfiler {
 public:
  // Collective.
  std::vector<double> excess(const simulation::StateView& view, const simulation::ShellGrid& grid,
                             double domain_volume);
  MassProfile profile(const simulation::StateView& view, const simulation::ShellGrid& grid,
                      double domain_volume);
  // Within a step of the coarsest level, as ShellsInTime.
  MassProfile profile(const simulation::StateView& view, const simulation::LevelTimes& times,
                      const simulation::ShellGrid& grid, double domain_volume);

 private:
  ShellsInTime mass_, momentum_;
};

// strength(a) of SphericalGravity: 3 a / (2 pi) in 3D, 3 a / pi in 2D.
double gravity_strength(int dim, double scale_factor);

// Fills field and rates from the profile at scale factor a = tau^-2, and the largest acceleration. grid.count <=
// SphericalGravity::max_bins.
void fill_gravity(euler::SphericalGravity& gravity, const simulation::ShellGrid& grid,
                  const MassProfile& profile, double tau);

}  // namespace meander::euler
