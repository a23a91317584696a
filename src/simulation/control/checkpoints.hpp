// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes the checkpoints of a run and removes old ones, so that the directory holds the last few of this run.
// Files and their names: io/run_directory.hpp.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

class Checkpoints {
 public:
  // Keeps the last `keep` >= 1. first_step: the step of the checkpoint in this directory that the run
  // restarts from; checkpoints up to it count as this run's. -1: there are none yet. The root reads the
  // directory. Throws parallel::AgreedFailure (one rank: Failure). Collective.
  Checkpoints(std::string directory, int keep, std::int64_t first_step,
              const parallel::Communicator& communicator);

  // Writes a checkpoint, then removes all earlier ones beyond the last `keep`. `state` holds what simulation.save()
  // does not set. Throws parallel::AgreedFailure (one rank: Failure); all older checkpoints then still exist.
  // Collective.
  void write(Simulation& simulation, io::CheckpointState state);

  // Path of the newest checkpoint; empty: none.
  std::string newest() const;
  std::int64_t newest_step() const { return steps_.empty() ? -1 : steps_.back(); }

 private:
  void remove_old() const;
  std::string path(std::int64_t step) const;

  parallel::Communicator communicator_;
  std::string directory_;
  std::size_t keep_;
  std::vector<std::int64_t> steps_;  // ascending, the same on all ranks
};

}  // namespace meander::simulation
