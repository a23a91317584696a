// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass excess about a centre as a function of radius, for gravity in spherical symmetry. Numerical method
// of Martel & Shapiro (1998, MNRAS 297, 467), Laplace(Phi) = 6 a (rho - 1).

#include <cstdint>
#include <vector>

#include "physics/euler/gravity.hpp"
#include "simulation/diagnostics/shell_sums.hpp"
#include "simulation/level_times.hpp"

namespace meander::euler {

class MassProfiler {
 public:
  // dM(<i dr), i = 0 .. grid.count: the integral of rho - 1 over the ball of radius i dr (2D: per unit
  // length). Bitwise identical for any number of threads and ranks. Collective. `domain_volume` sets the
  // rounding of every volume's contribution: 2^-52 of it.
  const std::vector<double>& excess(const simulation::StateView& view, const simulation::ShellGrid& grid,
                                    double domain_volume);

  // The same within a step of the coarsest level, with local time steps: levels from times.first on stand at
  // view.t, and the sums of coarser ones are interpolated linearly in time between the beginning of their
  // step and its end (before refluxing). Reads the leaves that have advanced since the last call. To be called
  // at each beginning of a step of any level, in order; at the first one, excess() takes its place. Collective.
  const std::vector<double>& excess(const simulation::StateView& view, const simulation::LevelTimes& times,
                                    const simulation::ShellGrid& grid, double domain_volume);

 private:
  // The sums of a level at the beginning and at the end of its step.
  struct Step {
    std::vector<std::uint64_t> begin, end;
  };
  simulation::ShellSums<1> sums_;
  std::vector<double> excess_;
  std::vector<Step> steps_;  // by level
  int first_ = 0;            // this level and finer ones began a step at the last call
};

// strength(a) of SphericalGravity: 3 a / (2 pi) in 3D, 3 a / pi in 2D.
double gravity_strength(int dim, double scale_factor);

// Fills the table, the largest acceleration and the total from dM(<i dr). grid.count <=
// SphericalGravity::max_bins.
void fill_gravity(euler::SphericalGravity& gravity, const simulation::ShellGrid& grid,
                  const std::vector<double>& excess, double scale_factor);

}  // namespace meander::euler
