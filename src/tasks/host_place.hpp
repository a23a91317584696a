// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of patches in host memory. A global step is sweeps of a team of threads: every thread takes chunks of the
// Peano curve (host_place.cpp). Steps by level are tasks with deadlines (host_levels.cpp).

#include <cstdint>
#include <memory>
#include <vector>

#include "tasks/enclave_sweep.hpp"
#include "tasks/level_tasks.hpp"
#include "tasks/place.hpp"

namespace meander::tasks {

template <int D>
class HostPlace final : public Place<D> {
 public:
  // All outlive this. The interior is updated by an EnclaveSweep if there is an engine, by a CpuSweep
  // otherwise.
  HostPlace(const SweepContext<D>& context, offload::Engine* engine);

  void update_border(const SweepCall& call) override;
  void start_fluxes() override;
  void update_during_fluxes() override { interior_->during_flux_exchange(); }
  void finish_fluxes() override { exchange_.finish_fluxes(); }
  void correct(LeafGroup group, double dt) override;
  void start_halos() override { exchange_.halos().start_sends(context_.team); }
  void update_rest() override { interior_->finish(); }
  void fill(mesh::Arrival arrival, double t) override;
  void finish_halos(double t) override { exchange_.halos().finish_receives(t, context_.team); }

  void start_levels(const LevelClock& clock, int coarsest, bool may_postpone,
                    const LevelWork& at_time) override;
  void start_tick() override;
  void advance(const LevelGroup& group, int stage) override;
  void finish_tick() override;
  void reflux(std::size_t of_clock, int fine_steps) override;
  solvers::Status due() override;
  void wait_for(parallel::MaxReduction& reduction) override;
  void shuffle_tasks(std::uint64_t seed) override { tasks_.shuffle(seed); }

  solvers::Status status() override;
  solvers::Status inspect(const LeafWork& first) override;
  solvers::Status enforce_floors() override;

  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_; }

 private:
  void prepare();
  // Calls look(leaf), which returns a status, for each leaf.
  template <class Look>
  solvers::Status look_at_leaves(const Look& look);

  // The stage that a level is at, and what of it finer halos with other steps read; or null.
  struct LevelStage {
    int stage = 0;
    mesh::CoarseInTime<D>* kept = nullptr;
  };
  int level(std::size_t of_clock) const { return coarsest_ + static_cast<int>(of_clock); }
  // Sends what halos before a stage need: the members that other ranks read are updated.
  void send(const LevelGroup& group, int stage);
  // Fills the halos before a stage, and makes tasks of the members as their halos are complete.
  void fill(const LevelGroup& group, int stage);
  // Makes tasks of the members that do wait for messages, or of those that do not.
  void put_tasks(const LevelGroup& group, int stage, bool waiting);
  // task: a leaf of the mesh, or -1 - i for member i of the present exchange, a shadow.
  void update(std::int32_t task);
  // Waits for messages (NeighbourMessages, MaxReduction) and works on tasks meanwhile.
  template <class Messages>
  void wait(Messages& messages, const char* trace_name);

  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  mesh::StepExchange<D>& exchange_;
  const solvers::Solver& solver_;
  std::unique_ptr<InteriorSweep<D>> interior_;
  const EnclaveSweep<D>* enclaves_ = nullptr;  // interior_, or null
  std::vector<solvers::PatchStatus> status_;

  // Steps by level.
  LevelTasks tasks_;
  const LevelClock* clock_ = nullptr;
  mesh::LocalSteps<D>* steps_ = nullptr;
  mesh::LevelExchange<D>* level_exchange_ =
      nullptr;  // of the present group; null: all leaves, with full halos
  int coarsest_ = 0;
  std::vector<LevelStage> stages_;  // by level of the clock
  bool may_postpone_ = true;        // updates beyond the tick that begins them
  LevelWork at_time_;
  std::vector<std::size_t> deadlines_;  // of leaves; empty: all updates are done in the tick that begins them
};

}  // namespace meander::tasks
