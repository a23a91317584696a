// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass excess about a centre as a function of radius, for gravity in spherical symmetry. Numerical method
// of Martel & Shapiro (1998, MNRAS 297, 467), Laplace(Phi) = 6 a (rho - 1).

#include <cstdint>
#include <vector>

#include "physics/euler/gravity.hpp"
#include "simulation/diagnostics/shell_sums.hpp"
#include "simulation/state_view.hpp"
#include "solvers/leaf_shells.hpp"
#include "tasks/leaf_observer.hpp"

namespace meander::euler {

// The sums of mass excess and radial momentum over the shells of a grid. Those of a leaf that was observed after its
// last change are kept, and only added up.
class MassShells final : public tasks::LeafObserver {
 public:
  // `domain_volume` sets the rounding of every volume's contribution: 2^-52 of it.
  MassShells(const simulation::ShellGrid& grid, double domain_volume);

  void start(std::size_t leaves, const solvers::PatchLayout& layout) override;
  void observe(std::size_t leaf, const solvers::PatchTask& patch) override;

  const simulation::ShellGrid& grid() const { return grid_; }
  // Adds up the leaves of this level and finer ones: quantity 0 is the excess, 1 the momentum. Collective.
  void sum(const simulation::StateView& view, int coarsest, simulation::ShellSums<2>& sums) const;

 private:
  // The slots of a leaf: from edge `first` on; count 0: it lies outside the grid, -1: it was not observed.
  struct Record {
    std::int32_t first = 0, count = -1;
  };
  std::uint64_t* slots_of(std::size_t leaf) { return slots_.data() + leaf * slots_of_leaf_; }
  const std::uint64_t* slots_of(std::size_t leaf) const { return slots_.data() + leaf * slots_of_leaf_; }

  simulation::ShellGrid grid_;
  double quantum_;
  solvers::LeafShells shells_;
  solvers::PatchLayout layout_;
  std::vector<Record> records_;
  std::size_t slots_of_leaf_ = 0;  // integers
  std::vector<std::uint64_t> slots_;
};

// Two functions of the radius, both at i dr, i = 0 .. grid.count (2D: per unit length).
struct MassProfile {
  std::vector<double> excess;  // dM(<r): the integral of rho - 1 over the ball
  std::vector<double> growth;  // its rate, minus the mass flux through the sphere
};

// Bitwise identical for any number of threads and ranks.
class MassProfiler {
 public:
  MassProfiler(const simulation::ShellGrid& grid, double domain_volume) : shells_(grid, domain_volume) {}

  // Not required: spares profile() and excess() a sweep over the leaves.
  tasks::LeafObserver& observer() { return shells_; }

  // Collective.
  std::vector<double> excess(const simulation::StateView& view) const;
  // All levels stand at the same time. Collective.
  MassProfile profile(const simulation::StateView& view);
  // Within a step of the coarsest level: levels from times.first on stand at the same time, and the sums of coarser ones
  // are interpolated linearly in time between the beginning of their step and its end (before refluxing). Reads the leaves
  // that have advanced since the last call. To be called at each beginning of a step of any level, in order; at the
  // first one, the function above takes its place. Collective.
  MassProfile profile(const simulation::StateView& view, const simulation::LevelTimes& times);

 private:
  // The sums of a level at the beginning and at the end of its step.
  struct Step {
    std::vector<std::uint64_t> begin, end;
  };
  MassProfile profile_of_sums() const;

  MassShells shells_;
  simulation::ShellSums<2> sums_;
  std::vector<Step> steps_;  // by level
  int first_ = 0;            // this level and finer ones began a step at the last call
};

// strength(a) of Gravity: 3 a / (2 pi) in 3D, 3 a / pi in 2D.
double gravity_strength(int dim, double scale_factor);

// Fills field and rates from the profile at scale factor a = tau^-2, and the largest acceleration. grid.count <=
// Gravity::max_bins.
void fill_gravity(euler::Gravity& gravity, const simulation::ShellGrid& grid, const MassProfile& profile,
                  double tau);

}  // namespace meander::euler
