// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The costs of a run: printed at its end and written to summary.json.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/simulation.hpp"

namespace meander::simulation {

// The costs of one rank, from the first step after the start or restart.
struct RunCosts {
  std::int64_t first_step = 0;     // number of earlier steps
  std::int64_t first_updates = 0;  // number of earlier volume updates
  double loop = 0;                 // seconds from the first step to the last file
  double output = 0;               // of these, for plots, history and checkpoints
  double checkpoints = 0;          // of these, for checkpoints
  double processor = 0;            // processor seconds of all threads in the loop, without those for output
  std::int64_t checkpoint_count = 0;
  int threads = 1;
  std::string thread_level;  // of MPI: "MPI_THREAD_MULTIPLE"; empty: one rank without MPI
};

struct Summary {
  std::int64_t steps = 0;  // in this part of the run
  std::int64_t last_step = 0;
  double time = 0;     // simulated
  double seconds = 0;  // of the slowest rank
  int ranks = 1;
  std::int64_t threads = 1;  // of all ranks
  std::string thread_level;
  std::int64_t leaves = 0, volumes = 0, updates = 0;
  Spread update, waiting, regrid, output, other;  // seconds per step
  double initial = 0;                             // seconds, of the slowest rank
  mesh::PartitionFacts partition;
  double processor_seconds = 0;                           // of all ranks, without output
  std::int64_t peak_memory = 0, peak_memory_of_rank = 0;  // bytes: sum, and largest
  std::int64_t checkpoints = 0;
  double checkpoint_seconds = 0;  // each
  OverlapTime messages;           // of several ranks
  std::optional<LocalStepsReport> local_steps;
  StepPath step_path;  // with local time steps
  std::optional<OffloadReport> offload;
  std::optional<ResidentReport> resident;
  // Volume updates since the start of the whole run.
  std::int64_t all_updates = 0, first_order = 0, floored = 0, strayed = 0;
  // What a report tells beside the figures.
  std::vector<std::string> warnings;      // of the root's log
  std::vector<std::string> changed_keys;  // of the input
  std::string processor;                  // of the root

  std::int64_t counted_steps() const { return std::max<std::int64_t>(1, steps); }
  double seconds_per_step() const { return quotient(seconds, counted_steps()); }
  // Without output.
  double volumes_per_second() const {
    return quotient(updates, seconds - output.max * static_cast<double>(counted_steps()));
  }
  // Of a volume in its step.
  double processor_seconds_per_update() const { return quotient(processor_seconds, updates); }
  // max / mean: leaves of a rank at the end, and time for updates over the run.
  double leaf_imbalance() const { return quotient(partition.most_leaves * ranks, leaves); }
  double update_imbalance() const { return quotient(update.max, update.mean); }
  // Of the time of all threads, with messages in flight.
  double messages_share() const {
    return quotient(messages.under_way, static_cast<double>(threads) * seconds);
  }
};

// The summary over all ranks, on all ranks. Collective.
Summary summarise(Simulation& simulation, const RunCosts& costs);

// A few lines for a terminal.
std::vector<std::string> summary_lines(const Summary& summary);
// JSON: one object, keys with units.
std::string summary_json(Summary summary);

}  // namespace meander::simulation
