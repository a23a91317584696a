// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A simulation: mesh, solver and scenario of a configuration, advanced step by step. It writes no files.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "io/checkpoint_file.hpp"
#include "io/row_files.hpp"
#include "mesh/facts.hpp"
#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"
#include "simulation/diagnostic.hpp"
#include "simulation/report/device_reports.hpp"
#include "simulation/report/local_steps_report.hpp"
#include "simulation/state_view.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::simulation {

// The state is inadmissible: NaN, or outside the range of the equation. The message names patch centre,
// level, volume, step, time and the variables of the first such volume along the curve, on all ranks alike.
// The failing state can still be written.
struct StateFailure : parallel::AgreedFailure {
  using parallel::AgreedFailure::AgreedFailure;
};

// Seconds that this rank has spent in steps.
struct RunTimes {
  tasks::SweepTimes sweeps;
  double prepare = 0;  // the scenario's step data
  double regrid = 0;   // migration included
  double initial = 0;  // initial data, all rounds of the first adaptation
  OverlapTime messages;
};

struct LeafCounts {
  std::int64_t total = 0, volumes = 0;  // leaves, and their volumes
  std::vector<std::int64_t> per_level;  // index: level
};

// Updates of volumes that the scheme has treated in a way of its own (docs/running-on-clusters.md, summary.json).
struct TreatedVolumes {
  std::int64_t first_order = 0, floored = 0, strayed = 0;
};

class Simulation {
 public:
  virtual ~Simulation() = default;

  double time() const { return t_; }
  int step() const { return step_; }      // steps done
  double last_dt() const { return dt_; }  // 0 before the first step
  const Config& config() const { return config_; }
  virtual const solvers::Solver& solver() const = 0;

  virtual const parallel::Communicator& communicator() const = 0;

  // One time step (local steps: of the coarsest level), which ends at `limit` at the latest, and exactly there if it would end shortly before.
  // Regrids after every config().mesh.regrid_every-th step. Throws StateFailure, and Failure if memory runs
  // out, on all ranks alike. Collective.
  virtual void advance(double limit) = 0;

  // This rank's patches in curve order, halos across faces full. Valid until the next advance(). `reason`,
  // a literal: why patches that live on a device are brought home, for the summary.
  virtual StateView view(const char* reason) = 0;
  StateView view() { return view("other"); }
  // As above for readers of interiors: halos may be stale. Not collective.
  virtual StateView interiors(const char* reason) = 0;
  // Lower corner of each leaf in leaves of its own level, counted from the domain's lower corner; unused axes
  // are 0.
  virtual std::vector<Vec<int, 3>> leaf_indices() const = 0;

  // The columns of diagnostics and scenario in history.csv at the present time. Collective.
  virtual std::vector<Measure> measures() = 0;

  // The files of all diagnostics beside history.csv, and the rows due in them at the present time, one entry
  // for each file. Call rows() once for the state at the start, and once after every step. Collective.
  virtual std::vector<io::RowFile> row_files() const = 0;
  virtual DiagnosticRows rows() = 0;
  // Integrals of the unknowns over the domain, bitwise identical for any number of threads and ranks.
  // Collective.
  virtual std::vector<double> totals() const = 0;
  // Of all ranks. Not collective.
  const LeafCounts& leaves() const { return leaves_; }
  // Of all ranks since the start, including the run before a restart. The second is collective.
  std::int64_t volume_updates() const { return updates_; }
  virtual TreatedVolumes treated_volumes() const = 0;
  virtual mesh::PartitionFacts partition() const = 0;
  // Of this rank.
  virtual mesh::MeshBytes bytes() const = 0;
  virtual RunTimes times() const = 0;
  virtual std::optional<LocalStepsReport> local_steps() const = 0;  // nothing with global steps
  virtual std::optional<OffloadReport> offload() const = 0;         // nothing without devices
  // Nothing unless the patches of this rank live on a device.
  virtual std::optional<ResidentReport> resident() const = 0;
  virtual std::optional<mesh::DeviceMemory> device_memory() const = 0;  // wanted for the present mesh

  // Sets everything that restart_simulation() reads, except mesh.mesh.leaves (see leaf_indices()), and adds
  // entries to state.counters. Collective.
  virtual void save(io::CheckpointMesh& mesh, io::CheckpointState& state) const = 0;

 protected:
  explicit Simulation(const Config& config) : config_(config), t_(config.time.start) {}

  Config config_;
  double t_ = 0, dt_ = 0;
  int step_ = 0;
  LeafCounts leaves_;         // recounted after every change of the mesh
  std::int64_t updates_ = 0;  // of all ranks
};

// The ranks with windows (parallel/communicator.hpp) if the configuration permits them, and if they do not know about windows yet.
// Messages of patches on devices go through page-locked memory instead. Collective.
parallel::Communicator with_windows(const parallel::Communicator& ranks, const Config& config);

// Sets initial data on an initial mesh refined by the criteria. threads: of each rank, >= 1. Throws
// InputError or Failure if a device lacks memory (several ranks: parallel::AgreedFailure), and StateFailure if the initial data are
// inadmissible. Collective.
std::unique_ptr<Simulation> make_simulation(const Config& config, int threads,
                                            const parallel::Communicator& communicator = {});

// Restarts from a checkpoint, bitwise identically to an uninterrupted run, on any number of ranks and
// threads. The configuration may differ from that of the checkpoint where check_restart() allows it.
// Collective.
std::unique_ptr<Simulation> restart_simulation(const Config& config, int threads,
                                               const parallel::Communicator& communicator,
                                               io::CheckpointReader& checkpoint);

}  // namespace meander::simulation
