// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The costs of a mesh for one rank: messages and bytes of a step, memory, and time to build the plans. They are
// those of the tables that steps work with, and need neither patches nor MPI: with replay_ranks() one process
// counts them for every rank of a large machine.

#include <cstdint>

#include "mesh/distributed_tree.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

struct RankCosts {
  std::int64_t leaves = 0;
  std::int64_t border_leaves = 0;  // updated first, because other ranks wait for them
  std::int64_t ghosts = 0;         // leaves of other ranks that touch them
  std::int64_t coarse_cells = 0;   // complete both to a tree of the whole domain (LocalView)
  std::int64_t ghost_patches = 0;  // coarse leaves of other ranks from which own leaves prolong
  std::int64_t neighbours = 0;     // other ranks to which a stage sends, or from which it receives

  // Sent in one stage. A stage without flux correction sends no fluxes.
  std::int64_t halo_messages = 0, halo_bytes = 0;
  std::int64_t flux_messages = 0, flux_bytes = 0;
  std::int64_t messages() const { return halo_messages + flux_messages; }
  std::int64_t bytes() const { return halo_bytes + flux_bytes; }

  // Memory in bytes.
  std::int64_t patch_bytes = 0;   // slots of own leaves and ghost patches
  std::int64_t list_bytes = 0;    // leaves, ghosts, neighbour lists, plans
  std::int64_t buffer_bytes = 0;  // registers of fluxes, partial sums, message buffers
  std::int64_t table_bytes = 0;   // the partition: the only part that grows with the number of ranks

  // CPU time to build the tables.
  double ghost_seconds = 0, list_seconds = 0, plan_seconds = 0;
  double build_seconds() const { return ghost_seconds + list_seconds + plan_seconds; }
};

// Builds the tables of a balanced tree for steps of a solver with these traits on patches of p = `patch_size`,
// as PatchMesh does, and counts. Collective; calls exchanges only.
template <int D>
RankCosts rank_costs(const DistributedTree<D>& tree, const solvers::Traits& traits, int patch_size);

}  // namespace meander::mesh
