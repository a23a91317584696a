// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree with a patch in each leaf: storage, halos, flux correction, regridding and migration. Each
// rank holds the patches of its own leaves; "leaf" is a number among those.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_exchange.hpp"
#include "mesh/patch_pool.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// When and by which weights the curve is cut anew.
struct PartitionPolicy {
  double imbalance = 1.1;         // most / mean weight of the ranks that is put up with
  bool measured_weights = false;  // the time that updates took, instead of volumes
};

// How the curve is cut over the ranks now. The same on all ranks.
struct PartitionFacts {
  std::int64_t most_leaves = 0;   // of one rank
  std::int64_t remote_faces = 0;  // faces of leaves between ranks, counted once, from the finer side
  double cube_faces = 0;          // the same if every rank's part were a cube of equal leaves amid others
  std::int64_t halo_bytes = 0;    // sent by all ranks in one halo exchange with its flux correction
  std::int64_t migrated = 0;      // leaves that have changed their rank so far
};

// When a leaf is updated in a step, by places in order(): one pass after the other, and in a pass one thread
// a chunk, leaf by leaf. The same for the leaves of a chunk.
struct UpdateOrder {
  Chunk pass, chunk;

  // Of leaves of one step: whether `other` has surely been updated when the leaf at `place`, which is of this
  // pass and chunk, is.
  bool knows_before(std::size_t other, std::size_t index) const {
    return other < pass.begin || (other >= chunk.begin && other <= index);
  }
  // Whether neither of the two knows the other before itself.
  bool leaves_out(std::size_t other) const {
    return other >= pass.begin && other < pass.end && (other < chunk.begin || other >= chunk.end);
  }
};

template <int D>
class PatchMesh {
 public:
  // The state is undefined. `solver` and `memory` outlive the mesh. `given` is needed if a boundary is of
  // kind given. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  PatchMesh(DistributedTree<D> tree, const solvers::Solver& solver, int patch_size,
            const Boundaries<D>& boundaries, GivenBoundary given, gpu::Resource& memory,
            const PartitionPolicy& policy = {});

  const DistributedTree<D>& tree() const { return tree_; }
  const parallel::Communicator& communicator() const { return tree_.communicator(); }
  const LocalView<D>& view() const { return *view_; }
  const solvers::PatchLayout& layout() const { return layout_; }
  std::size_t size() const { return tree_.size(); }
  std::span<const Cell<D>> cells() const { return view_->neighbours().cells().first(size()); }
  std::span<const solvers::PatchTask> patches() const { return std::span(patches_).first(size()); }
  std::span<const int> levels() const { return levels_; }
  gpu::Place place() const { return pool_.place(); }  // of the patches
  const PartitionFacts& partition_facts() const { return facts_; }

  // The order in which a step updates the leaves: those that other ranks wait for come first, order()[0 ..
  // border()), both parts along the curve.
  std::span<const std::int32_t> order() const { return order_; }
  std::size_t border() const { return border_; }

  // Fills all halos, as far as the solver reads them, at time t from interiors and boundary conditions.
  // Collective.
  void fill_halos(double t, ThreadTeam& team);

  // Fills the halos of the own leaves whose mark is not 0 across faces, edges and corners, whatever the
  // solver reads: for interpolation at any point of a leaf, and for its refinement. One mark an own leaf. The
  // plan for it is kept until the mesh or the marks of any rank change. Throws gpu::OutOfMemory (several
  // ranks: parallel::AgreedFailure). Collective.
  void fill_whole_halos(std::span<const char> marked, double t, ThreadTeam& team);

  // The same in parts, for a step. Right after the update of order()[place]: exchanges halos, both ways, with
  // those of its neighbours that are known to have been updated before and that no flux correction will
  // change.
  void exchange_updated(std::size_t index, const UpdateOrder& updates);
  // Once all leaves are updated and corrected, and for leaves that receive() once messages have arrived: what
  // exchange_updated() left out. Calls for different leaves may run at once.
  void finish_halo(std::size_t index, const UpdateOrder& updates, double t);
  // Once that is done for all leaves that do not receive() (local), or for all (received): point values are
  // prolonged into finer halos. Nothing for other solvers.
  void prolong_halos(Arrival arrival, double t, ThreadTeam& team);
  // Whether other ranks wait for the leaf: those of the first part of order().
  bool is_border(std::size_t leaf) const { return halos_.plan().is_border(leaf); }
  // Received if finish_halo() of the leaf needs messages.
  Arrival arrival(std::size_t leaf) const { return halos_.plan().arrival(leaf); }

  // The messages of a step, in this order, each call by the thread that initialised MPI; fluxes only if the
  // solver is conservative. In between poll() by any thread moves messages on; it is false while any are
  // under way: from when this rank has sent its own until those of its neighbours were seen to have arrived.
  void expect_messages();                         // at the beginning
  void start_fluxes(ThreadTeam& team);            // once the border leaves are updated
  void finish_fluxes();                           // then border leaves can be corrected
  void start_halos(ThreadTeam& team);             // once the border leaves are corrected
  void finish_halos(double t, ThreadTeam& team);  // then leaves that receive() can be finished
  bool poll();
  bool has_messages() const { return !halos_.messages().is_empty(); }
  bool has_flux_messages() const { return !flux_messages_.is_empty(); }

  // Corrects flux_correction().coarse_leaves()[i]. What coarser halos read of the leaf was summed up when it
  // was updated: once its state is final, sum_parts() does so again.
  const FluxCorrection<D>& flux_correction() const { return flux_correction_; }
  void correct(std::size_t i, double dt) const;
  void sum_parts(std::size_t leaf);

  // Time that an update of the leaf took, for measured weights.
  bool measures_cost() const { return policy_.measured_weights; }
  void add_cost(std::size_t leaf, double seconds) { cost_[leaf] += seconds; }

  // Refines, coarsens and balances by one level (see Spacetree::adapted) and moves the state: prolonged or
  // restricted (means conservatively; point values across the borders of leaves, with boundary conditions at
  // time t), bitwise unchanged elsewhere; then cuts the curve anew if ranks have become too uneven. The same
  // leaves and state for any number of ranks. Halos are stale afterwards. False, on all ranks, if nothing
  // changed. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  bool adapt(std::span<const Adapt> adapt, int min_level, int max_level, double t, ThreadTeam& team);

  // Bytes of patch storage, and of the registers for fluxes, restrictions and messages.
  std::size_t state_bytes() const {
    return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + halos_.ghost_bytes();
  }
  std::size_t register_bytes() const;

 private:
  solvers::PatchTask task(const Cell<D>& cell, double* slot) const;
  bool adapt_tree(std::span<const Adapt> adapt, int min_level, int max_level, double t, ThreadTeam& team);
  void move_state(const DistributedTree<D>& next, std::span<const Origin> origin, ThreadTeam& team);
  void migrate(std::span<const std::int64_t> first_leaves);
  void migrate_slots(const Migration& migration, std::vector<int>& slots);
  std::vector<std::int64_t> balanced_cut() const;
  void reserve(std::size_t slots);
  void rebuild();
  void count_facts();

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  BoundaryFill<D> boundaries_;
  PartitionPolicy policy_;
  gpu::Resource& memory_;
  DistributedTree<D> tree_;
  std::optional<LocalView<D>> view_;
  PatchPool pool_;
  std::vector<int> slots_;  // of each leaf
  std::vector<int> levels_;
  std::vector<double> cost_;
  HaloExchange<D> halos_;
  // For leaves whose edges and corners are wanted, too.
  struct WholeHalos {
    HaloExchange<D> exchange;
    std::vector<char> marked;
    bool is_planned = false;
  };
  std::unique_ptr<WholeHalos> whole_halos_;
  FluxCorrection<D> flux_correction_;
  parallel::NeighbourMessages flux_messages_;
  std::vector<solvers::PatchTask> patches_;        // of own leaves, then of the view's others, without slots
  std::vector<std::int32_t> order_, order_index_;  // inverse to each other
  std::size_t border_ = 0;
  PartitionFacts facts_;
};

}  // namespace meander::mesh
