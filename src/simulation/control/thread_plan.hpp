// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The number of threads of a rank, from its affinity mask and the other ranks on its node.

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

// masks: of the ranks of one node; self: index of this rank. usable: number of the node's processors that
// ranks could use. asked: threads of each rank given by the user; 0: the processors of each mask are divided
// evenly between the ranks that have this mask, at least one each. bound_by_launcher: mpirun has set the
// masks, not the user.
ThreadPlan plan_threads(std::span<const Processors> masks, std::size_t self, int usable, int asked,
                        bool bound_by_launcher);

// As above for the ranks of this node. Collective.
ThreadPlan plan_threads(const parallel::Communicator& communicator, int asked);

// Throws InputError (several ranks: parallel::AgreedInputError) if a rank is asked for more than four threads for each
// processor of its node that it could use: such a run crawls. Collective.
void check_threads(const parallel::Communicator& communicator, int asked);

// The rank that mpirun or srun assign to this process, known before MPI is initialised; -1: no launcher.
int launched_rank();

}  // namespace meander::simulation
