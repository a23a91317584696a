// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The interior of a rank's leaves, order()[border() ..) of the mesh: no other rank waits for these leaves, so
// their updates overlap with messages. CpuSweep updates them on the threads of the rank, EnclaveSweep with
// the help of devices.

#include <cstdint>
#include <functional>
#include <span>

#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "base/trace.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"
#include "tasks/leaf_observer.hpp"
#include "tasks/sweep_times.hpp"

namespace meander::tasks {

// What a caller does to a leaf. Concurrently for different leaves.
using LeafWork = std::function<void(std::size_t leaf)>;

// A change of interiors: of one own leaf, on the host, concurrently for different leaves; and the same of all of them, wherever
// they are, which is called instead if patches of any rank live on a device. Both empty: none.
struct LeafChange {
  LeafWork one;
  std::function<void()> all;
};

// One stage of a step.
struct SweepCall {
  int stage = 0;
  double t = 0, dt = 0;              // of the step
  const LeafWork* change = nullptr;  // on the host, in place of the solver's update; it sets no status
  std::span<solvers::PatchStatus> status{};  // output, one a leaf
};

// The objects that all parts of a step share; they outlive them.
template <int D>
struct SweepContext {
  mesh::PatchMesh<D>& mesh;
  const solvers::Solver& solver;
  ThreadTeam& team;
  OverlapMeter& messages;    // overlap of messages and updates
  LeafObservers& observers;  // of the leaves on the host
  SweepTimes& times;

  // After an update of the leaf in this stage.
  void observe_updated(std::size_t leaf, int stage) const {
    if (observers.empty() || stage != solver.traits().stages - 1 || mesh.exchange().is_corrected(leaf))
      return;
    observers.observe(leaf, mesh.patches()[leaf]);
  }

  // Called after the leaf of every index of a chunk: polls the messages after every few leaves, since a poll
  // costs about a microsecond.
  void poll_every_few_leaves(std::size_t index, const Chunk& chunk) const {
    constexpr std::size_t leaves_per_poll = 8;
    if ((index - chunk.begin) % leaves_per_poll == leaves_per_poll - 1 && mesh.exchange().poll())
      messages.end();
  }
};

// The pieces of the mesh's order() that a step without devices updates one after another.
struct Passes {
  Chunk border, during_fluxes, during_halos;
};
template <int D>
Passes passes_of(const mesh::PatchMesh<D>& mesh, const solvers::Solver& solver) {
  // The part of the interior that is updated while fluxes travel. Halos are larger and overlap with the rest.
  constexpr std::size_t flux_share = 4;
  const std::size_t border = mesh.exchange().border(), size = mesh.size();
  const bool has_fluxes = solver.traits().conservative && mesh.exchange().has_flux_messages();
  const std::size_t middle = border + (has_fluxes ? (size - border) / flux_share : 0);
  return {{0, border}, {border, middle}, {middle, size}};
}

// Calls body(index, chunk) for all indices of a pass; each thread handles one chunk of it in order.
template <class Body>
void for_indices(ThreadTeam& team, const Chunk& pass, const char* trace_name, const Body& body) {
  team.for_chunks(pass.end - pass.begin, [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope(trace_name, static_cast<std::int64_t>(end - begin));
    const Chunk chunk{pass.begin + begin, pass.begin + end};
    for (std::size_t index = chunk.begin; index < chunk.end; ++index) body(index, chunk);
  });
}

// Each stage calls begin(), during_flux_exchange() if the solver is conservative, and finish(), in this
// order.
template <int D>
class InteriorSweep {
 public:
  InteriorSweep() = default;
  virtual ~InteriorSweep() = default;
  InteriorSweep(const InteriorSweep&) = delete;
  InteriorSweep& operator=(const InteriorSweep&) = delete;

  // After the update of the border leaves.
  virtual void begin(const SweepCall& call) = 0;
  // After this rank has sent its fluxes: updates leaves while the fluxes of other ranks arrive.
  virtual void during_flux_exchange() = 0;
  // Returns after the update of all leaves.
  virtual void finish() = 0;

  // The order of updates as seen from the leaf order()[index], which a step without devices updates in this
  // pass and chunk. StepExchange::exchange_updated() and finish_halo() of a leaf take the same value.
  virtual mesh::UpdateOrder update_order(std::size_t index, const Chunk& pass, const Chunk& chunk) const = 0;
};

// Updates the leaves of a pass and exchanges halos as far as the update order of `sweep` permits.
template <int D>
void update_leaves(const SweepContext<D>& context, const InteriorSweep<D>& sweep, const SweepCall& call,
                   const Chunk& pass, const char* trace_name);

// Updates of leaves on the threads of the rank, along the Peano curve.
template <int D>
class CpuSweep final : public InteriorSweep<D> {
 public:
  explicit CpuSweep(const SweepContext<D>& context) : context_(context) {}

  void begin(const SweepCall& call) override {
    call_ = call;
    passes_ = passes_of(context_.mesh, context_.solver);
  }
  void during_flux_exchange() override {
    update_leaves(context_, *this, call_, passes_.during_fluxes, "traversal");
  }
  void finish() override { update_leaves(context_, *this, call_, passes_.during_halos, "traversal"); }
  mesh::UpdateOrder update_order(std::size_t, const Chunk& pass, const Chunk& chunk) const override {
    return {pass, chunk};
  }

 private:
  const SweepContext<D> context_;
  SweepCall call_;
  Passes passes_;
};

}  // namespace meander::tasks
