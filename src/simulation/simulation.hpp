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
#include "base/thread_team.hpp"
#include "io/checkpoint_file.hpp"
#include "mesh/patch_mesh.hpp"
#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "simulation/report/offload_report.hpp"
#include "simulation/scenario.hpp"
#include "tasks/traversal.hpp"

namespace meander::simulation {

// The state became inadmissible: NaN, or outside what the equation accepts. The message names patch centre,
// level, volume, step, time and the variables of the first such volume along the curve, on all ranks alike;
// the failing state is still there to be written.
struct StateFailure : parallel::AgreedFailure {
  using parallel::AgreedFailure::AgreedFailure;
};

// Seconds this rank spent in the steps so far.
struct RunTimes {
  tasks::SweepTimes sweeps;
  double prepare = 0;  // the scenario's step data
  double regrid = 0;   // migration included
  OverlapTime messages;
};

class Simulation {
 public:
  virtual ~Simulation() = default;

  virtual double time() const = 0;
  virtual int step() const = 0;        // steps done
  virtual double last_dt() const = 0;  // 0 before the first step
  virtual const Config& config() const = 0;
  virtual const solvers::Solver& solver() const = 0;

  virtual const parallel::Communicator& communicator() const = 0;

  // One time step, which ends at `limit` at the latest (and meets it exactly if it would end just before).
  // Regrids after every config().mesh.regrid_every-th step. Throws StateFailure, and Failure if the memory
  // does not suffice; all ranks throw alike. Collective.
  virtual void advance(double limit) = 0;

  // This rank's patches in curve order, halos across faces full. Valid until the next advance().
  virtual StateView view() = 0;
  // Lower corner of each leaf in leaves of its own level, counted from the domain's lower corner; unused axes
  // are 0.
  virtual std::vector<Vec<int, 3>> leaf_indices() const = 0;

  // The columns that diagnostics and the scenario add to history.csv, now. Collective.
  virtual std::vector<Measure> measures() = 0;
  // Integrals of the unknowns over the domain; the same bits for any number of threads and ranks. Collective.
  virtual std::vector<double> totals() const = 0;
  // Of all ranks, known to each: not collective.
  virtual std::vector<std::int64_t> leaves_per_level() const = 0;  // index: level
  virtual std::int64_t leaves() const = 0;
  virtual std::int64_t volumes() const = 0;
  virtual std::int64_t volume_updates()
      const = 0;  // since the start, earlier parts of a restarted run included
  // Sums over all ranks since the start, as above. Collective.
  virtual std::int64_t first_order_volumes() const = 0;
  virtual std::int64_t floored_volumes() const = 0;
  virtual std::int64_t strayed_volumes() const = 0;
  virtual mesh::PartitionFacts partition() const = 0;
  // Of this rank.
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t register_bytes() const = 0;
  virtual RunTimes times() const = 0;
  virtual std::optional<OffloadReport> offload() const = 0;  // none without devices

  // Sets what restart_simulation() needs to go on from here, all but mesh.mesh.leaves (see leaf_indices());
  // state.counters get entries added. Collective.
  virtual void save(io::CheckpointMesh& mesh, io::CheckpointState& state) const = 0;
};

// Sets up initial data on an initial mesh refined by the criteria. threads >= 1 a rank. Throws
// gpu::OutOfMemory (several ranks: parallel::AgreedFailure), and StateFailure if the initial data are
// inadmissible. Collective.
std::unique_ptr<Simulation> make_simulation(const Config& config, int threads,
                                            const parallel::Communicator& communicator = {});

// Goes on from a checkpoint, to the same bits, on any number of ranks and threads. The configuration may
// differ from the one that wrote it wherever check_restart() lets it. Collective.
std::unique_ptr<Simulation> restart_simulation(const Config& config, int threads,
                                               const parallel::Communicator& communicator,
                                               io::CheckpointReader& checkpoint);

}  // namespace meander::simulation
