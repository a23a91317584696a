// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How many threads a rank takes, from what its affinity mask and its neighbours on the node leave it.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/thread_team.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

struct ThreadPlan {
  int threads = 1;                    // of this rank
  std::vector<std::string> warnings;  // about this node: idle processors, or too few
};

// masks: of the ranks of one node; self: this one among them. usable: processors of the node that the ranks
// could be given. asked: threads a rank that the user wants; 0: the processors of each mask are dealt out
// evenly to the ranks that have it, at least one each. bound_by_launcher: the masks are mpirun's doing and
// not the user's.
ThreadPlan plan_threads(std::span<const Processors> masks, std::size_t self, int usable, int asked,
                        bool bound_by_launcher);

// The same for the ranks of this node. Collective.
ThreadPlan plan_threads(const parallel::Communicator& communicator, int asked);

// The rank that mpirun, srun and their like give this process before MPI is initialised; -1: started by hand.
int launched_rank();

}  // namespace meander::simulation
