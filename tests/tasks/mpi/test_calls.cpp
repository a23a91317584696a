// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The MPI calls of steps and regrids, counted as they happen: a step sends the messages and bytes that are
// counted for replayed ranks and calls one reduction; a regrid gathers a fixed number of bytes a rank.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>

#include "gpu/host_device.hpp"
#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/mesh/rank_counts.hpp"
#include "tests/tasks/mpi/many_ranks.hpp"

namespace {

// Of this rank. Other threads send nothing.
struct Calls {
  std::int64_t messages = 0, bytes = 0;
  std::int64_t collectives = 0;            // reductions, gathers, broadcasts, barriers
  std::int64_t gathered = 0, reduced = 0;  // bytes of the results
  std::int64_t gathers_of_lists = 0;       // which need a table of counts first
};
Calls calls;
std::map<MPI_Request, std::int64_t> bytes_of;  // of persistent sends

std::int64_t bytes(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::int64_t{count} * size;
}

}  // namespace

// The MPI library's own functions are named PMPI_ as well, so that programs can define these.
extern "C" {
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Send_init(data, count, type, to, tag, comm, request);
  bytes_of[*request] = bytes(count, type);
  return code;
}
int MPI_Request_free(MPI_Request* request) {
  bytes_of.erase(*request);
  return PMPI_Request_free(request);
}
int MPI_Startall(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    const auto found = bytes_of.find(requests[i]);
    if (found == bytes_of.end()) continue;
    ++calls.messages;
    calls.bytes += found->second;
  }
  return PMPI_Startall(count, requests);
}
int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  ++calls.collectives;
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++calls.collectives;
  calls.reduced += bytes(count, type);
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++calls.collectives;
  return PMPI_Exscan(in, out, count, type, op, comm);
}
int MPI_Allgather(const void* in, int count, MPI_Datatype type, void* out, int counts, MPI_Datatype types,
                  MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  ++calls.collectives;
  calls.gathered += size * bytes(counts, types);
  return PMPI_Allgather(in, count, type, out, counts, types, comm);
}
int MPI_Allgatherv(const void* in, int count, MPI_Datatype type, void* out, const int* counts,
                   const int* begins, MPI_Datatype types, MPI_Comm comm) {
  ++calls.collectives;
  ++calls.gathers_of_lists;
  return PMPI_Allgatherv(in, count, type, out, counts, begins, types, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++calls.collectives;
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Barrier(MPI_Comm comm) {
  ++calls.collectives;
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++calls.collectives;
  return PMPI_Ibarrier(comm, request);
}
}

namespace meander::tasks {
namespace {

template <int D>
void gas_at_rest(const solvers::PatchLayout& layout, const solvers::PatchTask& patch) {
  for (int v = 0; v < layout.volumes(); ++v) {
    Index<D> i{};
    for (int a = 0, rest = v; a < D; ++a, rest /= layout.p) i[a] = rest % layout.p;
    for (int u = 0; u < layout.unknowns; ++u) patch.q[layout.at(u, i)] = u == 0 || u == D + 1 ? 1 : 0;
  }
}

// Marks the leaves that contain the point (x, ..., x) in their closed boxes.
template <int D>
std::vector<mesh::Adapt> flags_around(const mesh::PatchMesh<D>& mesh, double x) {
  std::vector<mesh::Adapt> flags(mesh.size(), mesh::Adapt::coarsen);
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    const auto& patch = mesh.patches()[leaf];
    const double width = mesh.layout().p * patch.dx;
    if (std::all_of(patch.lower, patch.lower + D, [&](double low) { return low <= x && x <= low + width; }))
      flags[leaf] = mesh::Adapt::refine;
  }
  return flags;
}

template <int D>
void check(const std::string& scheme) {
  const auto solver = euler::make_solver(D, {}, {.scheme = scheme});
  mesh::Domain<D> domain;
  domain.base_cells.fill(1);
  mesh::Boundaries<D> boundaries;
  boundaries.fill(&mesh::boundary::outflow);
  const int p = 6;
  mesh::PatchMesh<D> mesh(mesh::DistributedTree<D>::uniform(domain, 1, world()), *solver, p, boundaries, {},
                          gpu::host_memory(), {1.01, false});
  ThreadTeam team(1);
  const std::int64_t ranks = world().size();
  for (int round = 0; round < 6; ++round) {
    for (const auto& patch : mesh.patches()) gas_at_rest<D>(mesh.layout(), patch);
    calls = {};
    mesh.adapt(flags_around(mesh, 0.2 + 0.1 * round), 1, 3, 0, team);
    const Calls of_regrid = calls;
    EXPECT_EQ(of_regrid.gathers_of_lists, 0);
    if (ranks > 1) {
      EXPECT_GE(of_regrid.gathered, (32 + 16) * ranks);
      EXPECT_LE(of_regrid.gathered, (32 + 3 * 16) * ranks);
      EXPECT_LE(of_regrid.reduced, 8 * (ranks + 1) + 256);
#ifdef NDEBUG
      constexpr int assertions = 0;
#else
      constexpr int assertions = 2;  // some agree over all ranks
#endif
      EXPECT_LE(of_regrid.collectives, 24 + 3 + assertions);  // 3: levels
    }

    for (const auto& patch : mesh.patches()) gas_at_rest<D>(mesh.layout(), patch);
    mesh.fill_halos(0, team);
    Step<D> traversal(mesh, *solver, team);
    const std::vector<mesh::Key<D>> leaves = world().all_gather(mesh.tree().leaves());
    const auto cuts = mesh.tree().partition().first_leaves();
    const auto costs = mesh::test::replayed_costs<D>(mesh.tree().domain(), leaves, {cuts.begin(), cuts.end()},
                                                     solver->traits(), p);
    const mesh::RankCosts& own = costs[static_cast<std::size_t>(world().rank())];
    const int steps = 3;
    calls = {};
    for (int step = 0; step < steps; ++step) {
      const double dt = 1e-4, t = step * dt;
      ASSERT_FALSE(traversal.advance(t, dt, t + dt).failed);
    }
    EXPECT_EQ(calls.messages, steps * own.messages());
    EXPECT_EQ(calls.bytes, steps * own.bytes());
    EXPECT_EQ(calls.collectives, ranks > 1 ? steps : 0);
    EXPECT_EQ(world().any(calls.messages > 0), ranks > 1);
  }
}

TEST(CallsOfAStep, AreThoseCountedForReplayedRanks) {
  check<2>("rusanov");
  check<2>("muscl");
  check<3>("rusanov");
  check<3>("muscl");
}

}  // namespace
}  // namespace meander::tasks
