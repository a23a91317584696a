// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exchange between leaves in a stage of a global time step: halos, and fluxes at resolution jumps. On a device its plan is
// used, and device_halos.hpp and device_reflux.hpp carry it out.

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_exchange.hpp"
#include "mesh/residence.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// The order of updates in a step, by indices in order(): one pass after another; within a pass, one thread a
// chunk; within a chunk, one leaf after another. All leaves of a chunk share one value.
struct UpdateOrder {
  Chunk pass, chunk;

  // Whether the update of `other` certainly precedes that of `index`, a leaf of this pass and chunk.
  bool knows_before(std::size_t other, std::size_t index) const {
    return other < pass.begin || (other >= chunk.begin && other <= index);
  }
  // Whether neither update certainly precedes the other.
  bool leaves_out(std::size_t other) const {
    return other >= pass.begin && other < pass.end && (other < chunk.begin || other >= chunk.end);
  }
};

template <int D>
class StepExchange {
 public:
  // All outlive this. `memory` is for ghost patches.
  StepExchange(const solvers::Solver& solver, const solvers::PatchLayout& layout,
               const BoundaryFill<D>& boundaries, gpu::Resource& memory,
               std::pmr::memory_resource& message_memory)
      : solver_(solver),
        layout_(layout),
        message_memory_(message_memory),
        halos_(solver, layout, boundaries, memory, message_memory) {}

  // For the leaves of `view`: all halos that the solver reads. `patches`: of all leaves of the view, own ones with a slot; sets
  // which is `next`, and points the flux blocks at resolution jumps to their registers, unless the residence of own leaves is a
  // device. View and patches live until the next call. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  void plan(const DistributedTree<D>& tree, const LocalView<D>& view, std::span<solvers::PatchTask> patches,
            Residence residence, const ThreadTeam& team);

  // The order in which a step updates the leaves: first order()[0 .. border()), after whose update this rank sends, then the
  // others; each group in curve order. The first are the leaves that other ranks wait for; or, on the host, all leaves, if a step
  // has one stage and all neighbours read messages in place (Communicator::with_windows()): every step ends with a reduction over
  // ranks, so that a message which costs no time need not be early, and leaves that come out of turn are no longer in the cache
  // when their neighbours follow. order_index(): the inverse.
  std::span<const std::int32_t> order() const { return order_; }
  std::span<const std::int32_t> order_index() const { return order_index_; }
  std::size_t border() const { return border_; }
  // Whether that is all leaves: no message is under way while they are updated.
  bool is_along_curve() const { return is_along_curve_; }
  // From now on the leaves that other ranks wait for come first in any case, for devices update the others.
  void keep_border_first() {
    keeps_border_first_ = true;
    order_leaves();
  }

  HaloExchange<D>& halos() { return halos_; }
  const HaloExchange<D>& halos() const { return halos_; }
  FluxCorrection<D>& fluxes() { return fluxes_; }
  const FluxCorrection<D>& fluxes() const { return fluxes_; }

  // Whether the step that began leaves halos as they are.
  bool leaves_halos() const { return step_.leaves_halos; }
  // Before a step. defers_halos: the next halos leave what comes from other ranks, copies from messages and prolongation of means,
  // to the next update of the leaf, which halos().finish_deferred() precedes; no effect on point values. leaves_halos: the step
  // leaves all halos as they are. has_fluxes: its updates set the fluxes at resolution jumps of a conservative solver.
  struct Kind {
    bool defers_halos = false, leaves_halos = false, has_fluxes = true;
  };
  void begin(const Kind& step) {
    step_ = step;
    step_.defers_halos = step.defers_halos && !layout_.point_values;
    step_.has_fluxes = step.has_fluxes && solver_.traits().conservative;
  }

  // The steps of a stage, on the host. Functions for messages are called by the thread that initialised MPI, in this order; those for
  // fluxes only if the solver is conservative.
  // At the beginning of a stage.
  void expect_messages();
  // Immediately after the update of order()[index]: sums its fluxes, if there are any, and exchanges halos, in both directions,
  // with neighbours whose update certainly precedes it, if flux correction changes neither.
  void exchange_updated(std::size_t index, const UpdateOrder& updates);
  // After the update of the border leaves: fluxes().start_sends(). Before the correction of the border leaves:
  void finish_fluxes();
  // Corrects fluxes().coarse_leaves()[i]. sum_parts() must follow: the partial sums that coarser halos read of the leaf
  // date from its update.
  void correct(std::size_t i, double dt) const;
  // Whether correct() changes the leaf.
  bool is_corrected(std::size_t leaf) const { return corrected_[leaf] != 0; }
  void sum_parts(std::size_t leaf) {
    if (!step_.leaves_halos) halos_.sum_parts(leaf);
  }
  // After the correction of the border leaves: halos().start_sends(). Before finish_halo() of the first leaf:
  void begin_halos(double t) { halos_.begin_first_phase(step_.defers_halos, t); }
  // After the update and correction of all leaves and, for leaves with Arrival::received, after
  // halos().finish_receives(): the operations that exchange_updated() left out; then halos().second_phase(). Calls for different leaves may run
  // concurrently.
  void finish_halo(std::size_t index, const UpdateOrder& updates, double t);

  // Any thread may call it between the calls above: advances the messages. Returns false while messages are under way: from the time
  // this rank has sent its own until it has noticed the arrival of those of its neighbours.
  bool poll();
  bool has_messages() const { return !halos_.messages().is_empty(); }
  bool has_flux_messages() const { return !fluxes_.messages().is_empty(); }

  // Memory of registers and buffers for fluxes, restrictions and messages.
  std::size_t bytes() const { return fluxes_.bytes() + halos_.buffer_bytes(); }

 private:
  void order_leaves();

  const solvers::Solver& solver_;
  const solvers::PatchLayout layout_;
  std::pmr::memory_resource& message_memory_;
  HaloExchange<D> halos_;
  FluxCorrection<D> fluxes_;
  std::span<solvers::PatchTask> patches_;
  std::vector<char> corrected_;                    // of each leaf
  std::vector<std::int32_t> order_, order_index_;  // inverse to each other
  std::size_t border_ = 0;
  bool keeps_border_first_ = false, reads_in_place_ = false;  // reads_in_place_: all neighbours do
  bool is_along_curve_ = false;
  Kind step_;
};

}  // namespace meander::mesh
