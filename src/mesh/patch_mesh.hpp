// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree with a patch in each leaf: storage, regridding and migration, what leaves exchange (step_exchange.hpp), and where
// patches live (patch_residence.hpp). Each rank holds the patches of its own leaves; "leaf" is a number among those.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/pmr.hpp"
#include "mesh/facts.hpp"
#include "mesh/local_steps.hpp"
#include "mesh/patch_pool.hpp"
#include "mesh/patch_residence.hpp"
#include "mesh/step_exchange.hpp"
#include "mesh/step_path.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// Conditions and weights for repartitioning.
struct PartitionPolicy {
  // Repartition above this max/mean load of the ranks; with steps by level, if the critical path of a step
  // (step_path.hpp) is longer than the shortest one by this factor.
  double imbalance = 1.1;
  bool measured_weights = false;  // load: measured time of updates; else the number of leaves
  Cuts cuts = Cuts::automatic;    // with steps by level and without measured weights
};

// Host memory of a mesh: of its slots, and of the buffers of its messages.
struct MeshMemory {
  gpu::Resource& slots;
  gpu::Resource& messages;

  MeshMemory(gpu::Resource& of_slots, gpu::Resource& of_messages = gpu::host_memory())
      : slots(of_slots), messages(of_messages) {}
};

template <int D>
class PatchMesh {
 public:
  // The state is undefined. `solver` and both resources of `memory` outlive the mesh. Requires `given` if a boundary has the
  // condition boundary::given. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  PatchMesh(DistributedTree<D> tree, const solvers::Solver& solver, int patch_size,
            const Boundaries<D>& boundaries, GivenBoundary given, const MeshMemory& memory,
            const PartitionPolicy& policy = {});
  ~PatchMesh();

  const DistributedTree<D>& tree() const { return tree_; }
  const parallel::Communicator& communicator() const { return tree_.communicator(); }
  const LocalView<D>& view() const { return *view_; }
  const solvers::PatchLayout& layout() const { return layout_; }
  std::size_t size() const { return tree_.size(); }
  std::span<const solvers::PatchTask> patches() const { return std::span(patches_).first(size()); }
  std::span<const int> levels() const { return levels_; }
  std::span<const std::int64_t> numbers() const { return numbers_; }  // among all leaves along the curve
  // Changes with the leaves of this rank and their order; no other mesh of the process has the same. Not 0.
  std::uint64_t revision() const { return revision_; }
  gpu::Place place() const { return pool_.place(); }  // of the patches
  std::size_t held_slots() const { return pool_.held(); }
  const PartitionFacts& partition_facts() const { return facts_; }

  // Fills all halos, as far as the solver reads them, from interiors and boundary conditions at time t.
  // Collective.
  void fill_halos(double t, ThreadTeam& team);

  // Fills the halos of marked own leaves across faces, edges and corners, independently of the solver: for
  // interpolation at any point of a leaf, and for its refinement. Where the patches live on a device, they are filled there;
  // the patches' home is unchanged. `marked` has one entry for each own leaf, 0 if unmarked. The plan is kept until the mesh or the marks of any rank change. Throws gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  void fill_whole_halos(std::span<const char> marked, double t, ThreadTeam& team);

  // Fills the halos that the last step left unfilled, for the time of that step.
  void complete_halos(ThreadTeam& team) const { exchange_.halos().finish_deferred(team); }

  // What a step exchanges, and where it runs.
  StepExchange<D>& exchange() { return exchange_; }
  const StepExchange<D>& exchange() const { return exchange_; }
  PatchResidence<D>& residence() { return residence_; }
  const PatchResidence<D>& residence() const { return residence_; }

  // What local time steps need in addition (mesh/local_steps.hpp). Valid until the next change of the mesh.
  // If patches live on a device, local_steps() brings patches and tables there; plan_local_steps() does not.
  // level_exchange(): after local_steps(), the exchange of levels, with its tables. Throw gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  LocalSteps<D>& local_steps();
  LocalSteps<D>& plan_local_steps();
  LevelExchange<D>& level_exchange(int first, int last);
  // The steps of each level, for repartitioning: they are the load of a leaf. Default: equal loads.
  void set_level_steps(LevelSteps levels) { level_steps_ = std::move(levels); }

  // Adds the seconds that an update of the leaf takes this rank, for measured weights: the processor time of a thread,
  // divided by the number of threads, or the time of a device.
  bool measures_cost() const { return policy_.measured_weights; }
  void add_cost(std::size_t leaf, double seconds) { cost_[leaf] += seconds; }

  // Refines, coarsens and balances by one level (see Spacetree::adapted) and transfers the state: prolonged
  // or restricted (means conservatively; point values with a stencil across leaf borders, and boundary
  // conditions at time t), bitwise unchanged elsewhere. Halos across faces must be full: means are prolonged from
  // them, too. Then repartitions if the ranks are too imbalanced. Leaves and state are bitwise identical for
  // any number of ranks. Halos are stale afterwards. Returns false on all ranks if no leaf changed. Throws
  // gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  bool adapt(std::span<const Adapt> adapt, int min_level, int max_level, double t, ThreadTeam& team);

  MeshBytes bytes() const;

 private:
  solvers::PatchTask task(const Cell<D>& cell, double* slot) const;
  std::optional<DistributedTree<D>> adapt_leaves(std::vector<Key<D>>& leaves, std::span<const Adapt> flags,
                                                 int min_level, int max_level, double t, ThreadTeam& team);
  void move_state(std::span<const Key<D>> leaves, std::span<const Key<D>> next, ThreadTeam& team);
  // The states of leaves of the next mesh: coarsened leaves, whose slots are set, and refined ones, given by
  // the first child of each.
  void coarsen(std::span<const std::size_t> coarsened, std::span<const Key<D>> leaves,
               std::span<const Origin> origin, std::vector<int>& slots, ThreadTeam& team);
  void coarsen_on_device(std::span<const std::size_t> coarsened, std::span<const Key<D>> leaves,
                         std::span<const Origin> origin, std::vector<int>& slots);
  void refine(std::span<const std::size_t> refined, std::span<const Key<D>> next, std::span<const int> slots,
              ThreadTeam& team);
  void refine_on_device(std::span<const std::size_t> refined, std::span<const Key<D>> next,
                        std::span<const int> slots);
  HaloExchange<D>& whole_halos(std::span<const char> marked, const ThreadTeam& team);
  Distribution<D> distributed(const DistributedTree<D>& curve, const Distribution<D>& now, int threads) const;
  void move_leaves(std::vector<Key<D>>& leaves, const std::function<int(Key<D>)>& owner);
  void reserve(std::size_t slots);
  void rebuild(const ThreadTeam& team);
  void count_facts();

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  BoundaryFill<D> boundaries_;
  PartitionPolicy policy_;
  const MeshMemory memory_;
  gpu::PmrResource message_memory_;
  DistributedTree<D> tree_;
  std::optional<LocalView<D>> view_;
  PatchPool pool_;
  std::vector<int> slots_;  // of each leaf
  std::vector<int> levels_;
  std::vector<std::int64_t> numbers_;
  std::uint64_t revision_ = 0;
  std::vector<double> cost_;
  mutable StepExchange<D> exchange_;  // halos are derived data
  // For fill_whole_halos().
  struct WholeHalos {
    HaloExchange<D> exchange;
    std::vector<char> marked;
    bool is_planned = false;
  };
  std::unique_ptr<WholeHalos> whole_halos_;
  std::unique_ptr<LocalSteps<D>> local_steps_;  // null until they are used on the present mesh
  LevelSteps level_steps_;
  std::vector<solvers::PatchTask>
      patches_;  // of own leaves, then of the other leaves of the view, without slots
  PartitionFacts facts_;
  PatchResidence<D> residence_;
};

}  // namespace meander::mesh
