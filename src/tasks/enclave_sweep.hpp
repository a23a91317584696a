// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Updates the interior of a rank's leaves with the help of devices. Leaves at a resolution jump (skeletons)
// are updated when the traversal meets them. All others (enclaves) go to a pool. The thread that finds a
// batch in the pool offloads it and continues its traversal; threads without other work update enclaves from
// the pool.

#include <cstdint>
#include <span>

#include "base/overlap.hpp"
#include "offload/engine.hpp"
#include "offload/split.hpp"
#include "offload/task_pool.hpp"
#include "tasks/interior_sweep.hpp"

namespace meander::tasks {

// The outcome of a thread's look at the pool and at the batches on devices.
enum class PoolProgress { worked, waiting, all_done };

template <int D>
class EnclaveSweep final : public InteriorSweep<D> {
 public:
  // The engine outlives the sweep.
  EnclaveSweep(const SweepContext<D>& context, offload::Engine& engine)
      : context_(context),
        mesh_(context.mesh),
        exchange_(context.mesh.exchange()),
        engine_(engine),
        split_(engine.options().split, engine.options().batch, context.team.size()) {}

  void begin(const SweepCall& call) override;
  void during_flux_exchange() override;
  void finish() override;
  // Two passes, border and interior, in chunks of one leaf: while a leaf is updated, its neighbours may be on
  // a device.
  mesh::UpdateOrder update_order(std::size_t index, const Chunk&, const Chunk&) const override {
    const std::size_t border = exchange_.border();
    return {index < border ? Chunk{0, border} : Chunk{border, mesh_.size()}, {index, index + 1}};
  }

  // Updates of leaves so far, on the CPU and on devices, and those of enclaves among them.
  std::int64_t updates() const { return updates_; }
  std::int64_t enclaves() const { return enclaves_; }
  const offload::SplitRates& rates() const { return split_.rates(); }

 private:
  // The tasks that a thread may take from the pool: those that are not reserved for devices, or any.
  enum class Take { share, any };

  bool is_enclave(std::size_t leaf) const;
  offload::EnclaveTask task(std::size_t index) const;
  void traverse();
  void work_while_fluxes_travel();
  PoolProgress work();
  bool offload();
  bool update_next(Take take);
  void update(const offload::EnclaveTask& task);
  void after_update(const offload::EnclaveTask& task, double seconds) const;

  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  mesh::StepExchange<D>& exchange_;
  offload::Engine& engine_;
  offload::Split split_;
  offload::TaskPool pool_;
  offload::UpdateCall call_;
  std::span<solvers::PatchStatus> status_;
  bool is_traversed_ = false;
  std::int64_t updates_ = 0, enclaves_ = 0;
  double batch_seconds_before_ = 0;  // in which batches were under way, at the beginning of the sweep
};

}  // namespace meander::tasks
