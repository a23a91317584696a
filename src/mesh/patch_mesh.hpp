// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree with a patch in each leaf: storage, halos, flux correction, regridding and migration. Each
// rank holds the patches of its own leaves; "leaf" is a number among those.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "gpu/pmr.hpp"
#include "mesh/device_patches.hpp"
#include "mesh/facts.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_exchange.hpp"
#include "mesh/local_steps.hpp"
#include "mesh/patch_pool.hpp"
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

// Host memory of a mesh: of its slots, and of the buffers of its messages.
struct MeshMemory {
  gpu::Resource& slots;
  gpu::Resource& messages;

  MeshMemory(gpu::Resource& of_slots, gpu::Resource& of_messages = gpu::host_memory())
      : slots(of_slots), messages(of_messages) {}
};

template <int D>
class DeviceLocalSteps;

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
  std::span<const Cell<D>> cells() const { return view_->neighbours().cells().first(size()); }
  std::span<const solvers::PatchTask> patches() const { return std::span(patches_).first(size()); }
  std::span<const int> levels() const { return levels_; }
  std::span<const std::int64_t> numbers() const { return numbers_; }  // among all leaves along the curve
  // Changes with the leaves of this rank and their order; no other mesh of the process has the same. Not 0.
  std::uint64_t revision() const { return revision_; }
  gpu::Place place() const { return pool_.place(); }  // of the patches
  std::size_t held_slots() const { return pool_.held(); }
  const PartitionFacts& partition_facts() const { return facts_; }

  // The order in which a step updates the leaves: first order()[0 .. border()), the leaves that other ranks
  // wait for, then the others; each group in curve order.
  std::span<const std::int32_t> order() const { return order_; }
  std::size_t border() const { return border_; }

  // Fills all halos, as far as the solver reads them, from interiors and boundary conditions at time t.
  // Collective.
  void fill_halos(double t, ThreadTeam& team);

  // Fills the halos of marked own leaves across faces, edges and corners, independently of the solver: for
  // interpolation at any point of a leaf, and for its refinement. Where the patches live on a device, they are filled there;
  // the patches' home is unchanged. `marked` has one entry for each own leaf, 0 if unmarked. The plan is kept until the mesh or the marks of any rank change. Throws gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  void fill_whole_halos(std::span<const char> marked, double t, ThreadTeam& team);

  // Whether the next halos of a time step leave what comes from other ranks, copies from messages and prolongation of means,
  // to the next update of the leaf, which finish_deferred() precedes. Halos that readers need are filled by complete_halos(). No effect on
  // point values and on a device.
  void defer_halos(bool defers) { defers_halos_ = defers && !some_live_on_device_ && !layout_.point_values; }
  // Whether the next time step leaves all halos as they are. On the host only.
  void leave_halos(bool leaves) { leaves_halos_ = leaves; }
  void finish_deferred(std::size_t leaf) { halos_.finish_deferred(leaf); }
  // Fills the halos that the last step left unfilled, for the time of that step.
  void complete_halos(ThreadTeam& team) const { halos_.finish_deferred(team); }

  // The steps of fill_halos() within a time step. Immediately after the update of order()[index]: exchanges
  // halos, in both directions, with neighbours whose update certainly precedes it, if flux correction changes
  // neither.
  void exchange_updated(std::size_t index, const UpdateOrder& updates);
  // Before finish_halo() of the first leaf.
  void begin_halos(double t) { halos_.begin_first_phase(defers_halos_, t); }
  // After the update and correction of all leaves and, for leaves with Arrival::received, after the arrival
  // of messages: the operations that exchange_updated() left out. Calls for different leaves may run
  // concurrently.
  void finish_halo(std::size_t index, const UpdateOrder& updates, double t);
  // After finish_halo() of all leaves with Arrival::local (local), or of all leaves (received): prolongs
  // point values into finer halos. Does nothing for solvers of means.
  void prolong_halos(Arrival arrival, double t, ThreadTeam& team);
  // Whether other ranks wait for the leaf, which is then in the first group of order().
  bool is_border(std::size_t leaf) const { return halos_.plan().is_border(leaf); }
  // Received if finish_halo() of the leaf needs messages.
  Arrival arrival(std::size_t leaf) const { return halos_.plan().arrival(leaf); }

  // The messages of a step, in this order. Each function is called by the thread that initialised MPI; those
  // for fluxes only if the solver is conservative. Between the calls, poll() by any thread advances the
  // messages. It returns false while messages are under way: from the time this rank has sent its own until
  // it has noticed the arrival of those of its neighbours.
  void expect_messages();                         // at the beginning of a stage
  void start_fluxes(ThreadTeam& team);            // after the update of the border leaves
  void finish_fluxes();                           // before the correction of the border leaves
  void start_halos(ThreadTeam& team);             // after the correction of the border leaves
  void finish_halos(double t, ThreadTeam& team);  // before finish_halo() of leaves with Arrival::received
  bool poll();
  bool has_messages() const { return !halos_.messages().is_empty(); }
  bool has_flux_messages() const { return !flux_correction_.messages().is_empty(); }

  // sum_fluxes() of a leaf, which exchange_updated() calls, sums what its fluxes contribute to coarser faces. correct() corrects
  // flux_correction().coarse_leaves()[i]. sum_parts() must follow: the partial sums that
  // coarser halos read of the leaf date from its update.
  const FluxCorrection<D>& flux_correction() const { return flux_correction_; }
  // Whether correct() changes the leaf.
  bool is_corrected(std::size_t leaf) const { return corrected_[leaf] != 0; }
  void sum_fluxes(std::size_t leaf) { flux_correction_.add_step(leaf, 0); }
  void correct(std::size_t i, double dt) const;
  void sum_parts(std::size_t leaf);

  // What local time steps need in addition (mesh/local_steps.hpp). Valid until the next change of the mesh.
  // If patches live on a device, local_steps() brings patches and tables there; plan_local_steps() does not.
  // level_exchange(): after local_steps(), the exchange of levels, with its tables. Throw gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  LocalSteps<D>& local_steps();
  LocalSteps<D>& plan_local_steps();
  LevelExchange<D>& level_exchange(int first, int last);
  // The steps of each level, for repartitioning: they are the load of a leaf. Default: equal loads.
  void set_level_steps(LevelSteps levels) { level_steps_ = std::move(levels); }

  // Adds the seconds that an update of the leaf takes this rank, for measured weights: the time of a thread,
  // divided by the number of threads.
  bool measures_cost() const { return policy_.measured_weights; }
  void add_cost(std::size_t leaf, double seconds) { cost_[leaf] += seconds; }

  // Refines, coarsens and balances by one level (see Spacetree::adapted) and transfers the state: prolonged
  // or restricted (means conservatively; point values with a stencil across leaf borders, and boundary
  // conditions at time t), bitwise unchanged elsewhere. Halos across faces must be full: means are prolonged from
  // them, too. Then repartitions if the ranks are too imbalanced. Leaves and state are bitwise identical for
  // any number of ranks. Halos are stale afterwards. Returns false on all ranks if no leaf changed. Throws
  // gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  bool adapt(std::span<const Adapt> adapt, int min_level, int max_level, double t, ThreadTeam& team);

  // ---- patches on a device
  // From now on the patches live in `memory` of the device, which both outlive the mesh: steps run there.
  // patches() are then the patches' home in host memory: current after bring_home(), and until the next step.
  // Null on ranks whose patches stay in host memory. Throws InputError if solver or boundary conditions do
  // not allow it. All ranks call it.
  void live_on(gpu::Device* device, gpu::Resource* memory);
  bool lives_on_device() const { return device_ != nullptr; }
  // Copies the slots to the host unless they are current there. Any thread may call it. No effect on the
  // host. The reason is counted, for the summary.
  void bring_home(const char* reason = "regrid") const;
  // How often the slots were copied, by reason.
  std::map<std::string, std::int64_t> brought_home() const;
  // The memory of the device that the present mesh needs; with that of local steps after plan_local_steps().
  DeviceMemory device_memory() const;
  // To be called after a change of the patches in host memory.
  void changed_at_home() {
    is_current_on_device_ = false;
    is_current_at_home_ = true;
  }
  // After a change of the fields (solvers::PatchLayout) of these leaves in host memory: sends them to the device if the
  // patches are there.
  void send_fields(std::span<const std::size_t> leaves);
  // Before each step and each work on the device: uploads tables and slots that have changed. Throws gpu::OutOfMemory (several ranks:
  // parallel::AgreedFailure). Collective.
  void prepare_step();
  // Begins a stage on the device; the slots in host memory become stale.
  DevicePatches<D>& begin_on_device();
  // After local_steps().
  DeviceLocalSteps<D>& local_steps_on_device() { return *device_local_steps_; }
  DevicePatches<D>* on_device() { return device_.get(); }
  const DevicePatches<D>* on_device() const { return device_.get(); }
  bool is_current_on_device() const { return is_current_on_device_; }
  parallel::NeighbourMessages& flux_messages() { return flux_correction_.messages(); }
  parallel::NeighbourMessages& halo_messages() { return halos_.messages(); }

  // Bytes of patch storage, and of registers and buffers for fluxes, restrictions and messages.
  std::size_t state_bytes() const {
    return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + halos_.ghost_bytes();
  }
  std::size_t register_bytes() const;

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
  HaloExchange<D>& whole_halos(std::span<const char> marked);
  typename DevicePatches<D>::Mesh device_mesh();
  void home_is_stale();
  void upload_local_steps();
  Distribution<D> distributed(const DistributedTree<D>& curve, const Distribution<D>& now, int threads) const;
  void move_leaves(std::vector<Key<D>>& leaves, const std::function<int(Key<D>)>& owner);
  void reserve(std::size_t slots);
  void rebuild();
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
  mutable HaloExchange<D> halos_;  // halos are derived data
  bool defers_halos_ = false, leaves_halos_ = false;
  // For fill_whole_halos().
  struct WholeHalos {
    HaloExchange<D> exchange;
    std::vector<char> marked;
    bool is_planned = false;
  };
  std::unique_ptr<WholeHalos> whole_halos_;
  std::unique_ptr<LocalSteps<D>> local_steps_;  // null until they are used on the present mesh
  LevelSteps level_steps_;
  FluxCorrection<D> flux_correction_;
  std::vector<char> corrected_;  // of each leaf
  std::vector<solvers::PatchTask>
      patches_;  // of own leaves, then of the other leaves of the view, without slots
  std::vector<std::int32_t> order_, order_index_;  // inverse to each other
  std::size_t border_ = 0;
  PartitionFacts facts_;

  std::unique_ptr<DevicePatches<D>> device_;                 // or null
  bool some_live_on_device_ = false;                         // of any rank
  std::unique_ptr<DeviceLocalSteps<D>> device_local_steps_;  // as local_steps_
  std::vector<std::pair<int, int>> uploaded_groups_;         // point values: on any rank with a device
  bool has_tables_ = false, has_level_tables_ = false, is_current_on_device_ = false;
  mutable std::atomic<bool> is_current_at_home_{true};
  mutable std::mutex bring_home_mutex_;
  mutable std::map<std::string, std::int64_t> brought_home_;
};

}  // namespace meander::mesh
