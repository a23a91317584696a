// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The checkpoints in the directory of a run: the last few of this run, and no others.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

class Checkpoints {
 public:
  // Keeps the last `keep` >= 1. first_step: of the checkpoint in this directory that the run goes on from;
  // those up to it count as this run's. -1: there are none yet.
  Checkpoints(std::string directory, int keep, std::int64_t first_step,
              const parallel::Communicator& communicator);

  // Writes one, then removes all beyond the last `keep`; after a restart from an older checkpoint the first
  // to be written replaces those that lay ahead of it. `state` holds what simulation.save() does not set.
  // Throws parallel::AgreedFailure (one rank: Failure), and then all older ones are there. Collective.
  void write(Simulation& simulation, io::CheckpointState state);

  // Path of the newest; empty: none.
  std::string newest() const;
  std::int64_t newest_step() const { return steps_.empty() ? -1 : steps_.back(); }

 private:
  void remove_others() const;
  std::string path(std::int64_t step) const;

  parallel::Communicator communicator_;
  std::string directory_;
  std::size_t keep_;
  std::vector<std::int64_t> steps_;  // of the root: ascending
};

// Removes what a killed run left half written. By one rank.
void remove_half_written(const std::string& directory);

}  // namespace meander::simulation
