// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A run without its files: the mesh, the solver and the scenario of a configuration, advanced step by step.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "simulation/config.hpp"
#include "simulation/scenario.hpp"
#include "tasks/traversal.hpp"

namespace meander::simulation {

// The state became inadmissible: NaN, or density or pressure not positive. The message names patch centre,
// level, volume, step, time and the variables; the failing state is still there to be written.
struct StateFailure : Failure {
  using Failure::Failure;
};

struct RunTimes {
  tasks::SweepTimes sweeps;
  double prepare = 0;  // the scenario's step data
  double regrid = 0;
};

class Simulation {
 public:
  virtual ~Simulation() = default;

  virtual double time() const = 0;
  virtual int step() const = 0;        // steps done
  virtual double last_dt() const = 0;  // 0 before the first step
  virtual const Config& config() const = 0;
  virtual const solvers::Solver& solver() const = 0;

  // One time step, which ends at `limit` at the latest (and meets it exactly if it would end just before).
  // Regrids after every config().mesh.regrid_every-th step. Throws StateFailure, and Failure if the memory
  // does not suffice.
  virtual void advance(double limit) = 0;

  // All patches in curve order, halos full. Valid until the next advance().
  virtual StateView view() = 0;
  // Lower corner of each leaf in leaves of its own level, counted from the domain's lower corner; unused axes
  // are 0.
  virtual std::vector<Vec<int, 3>> leaf_indices() const = 0;

  // Integrals of the unknowns over the domain; the same bits for any number of threads.
  virtual std::vector<double> totals() const = 0;
  virtual std::vector<std::size_t> leaves_per_level() const = 0;  // index: level
  virtual std::size_t leaves() const = 0;
  virtual std::size_t volumes() const = 0;
  virtual std::int64_t volume_updates() const = 0;  // since the start
  virtual std::int64_t first_order_volumes() const = 0;
  virtual std::int64_t floored_volumes() const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t register_bytes() const = 0;
  virtual RunTimes times() const = 0;
};

// Sets up initial data on an initial mesh refined by the criteria. threads >= 1. Throws gpu::OutOfMemory, and
// StateFailure if the initial data are inadmissible.
std::unique_ptr<Simulation> make_simulation(const Config& config, int threads);

}  // namespace meander::simulation
