// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_mesh.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/trace.hpp"
#include "mesh/cut_tree.hpp"
#include "mesh/device_local_steps.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {
template <int D>
PatchMesh<D>::PatchMesh(DistributedTree<D> tree, const solvers::Solver& solver, int patch_size,
                        const Boundaries<D>& boundaries, GivenBoundary given, const MeshMemory& memory,
                        const PartitionPolicy& policy)
    : solver_(solver),
      layout_(solver.traits().layout(patch_size)),
      boundaries_(solver, layout_, boundaries, std::move(given)),
      policy_(policy),
      memory_(memory),
      message_memory_(memory.messages),
      tree_(std::move(tree)),
      pool_(memory.slots, slot_doubles(layout_, solver.traits())),
      halos_(solver, layout_, boundaries_, memory.slots, message_memory_) {
  reserve(tree_.size());
  slots_.resize(tree_.size());
  for (int& slot : slots_) slot = pool_.acquire();
  cost_.assign(tree_.size(), 0.0);
  rebuild();
}

template <int D>
PatchMesh<D>::~PatchMesh() = default;

template <int D>
void PatchMesh<D>::reserve(std::size_t slots) {
  communicator().agree([&] {
    pool_.reserve(slots);
    // Before the first step prepare_step() reserves, when the size is known.
    if (device_ && is_current_on_device_) device_->reserve(pool_.capacity());
  });
}

template <int D>
solvers::PatchTask PatchMesh<D>::task(const Cell<D>& cell, double* slot) const {
  return patch_task<D>(tree_.domain(), layout_, boundaries_, cell, slot, solver_.traits().stage_blocks > 0);
}

template <int D>
void PatchMesh<D>::rebuild() {
  static std::atomic<std::uint64_t> revisions{0};
  revision_ = ++revisions;
  has_tables_ = has_level_tables_ = false;
  uploaded_groups_.clear();
  device_local_steps_.reset();
  local_steps_.reset();
  view_.emplace(tree_);
  levels_.resize(size());
  numbers_.resize(size());
  for (std::size_t leaf = 0; leaf < size(); ++leaf) numbers_[leaf] = tree_.number(leaf);
  patches_.resize(view_->size());
  for (std::size_t leaf = 0; leaf < view_->size(); ++leaf) {
    const bool own = leaf < size();
    const Cell<D>& cell = view_->neighbours().cells()[leaf];
    if (own) levels_[leaf] = cell.level;
    patches_[leaf] = task(cell, own ? pool_[slots_[leaf]] : nullptr);
  }
  corrected_.assign(size(), 0);
  if (solver_.traits().conservative) {
    flux_correction_ = FluxCorrection<D>(*view_, layout_);
    flux_correction_.connect(communicator(), parallel::tag_of_fluxes, "fluxes", message_memory_);
    flux_correction_.attach(patches_);
    for (const std::int32_t leaf : flux_correction_.coarse_leaves())
      corrected_[static_cast<std::size_t>(leaf)] = 1;
  }
  const auto& traits = solver_.traits();
  halos_.plan(tree_, *view_, {traits.halo_shape, traits.conservative, {}}, patches_, parallel::tag_of_halos,
              "halos");
  if (whole_halos_) whole_halos_->is_planned = false;

  order_.clear();
  for (const bool border : {true, false}) {
    for (std::size_t leaf = 0; leaf < size(); ++leaf) {
      if (is_border(leaf) == border) order_.push_back(static_cast<std::int32_t>(leaf));
    }
    if (border) border_ = order_.size();
  }
  order_index_.resize(size());
  for (std::size_t index = 0; index < size(); ++index) {
    const auto leaf = static_cast<std::size_t>(order_[index]);
    order_index_[leaf] = static_cast<std::int32_t>(index);
    if (index + 1 < size()) patches_[leaf].next = patches_[static_cast<std::size_t>(order_[index + 1])].q;
  }
  count_facts();
}

template <int D>
void PatchMesh<D>::count_facts() {
  std::int64_t remote_faces = 0, same_level = 0;
  for (std::size_t leaf = 0; leaf < size() && communicator().size() > 1; ++leaf) {
    for (int face = 0; face < 2 * D; ++face) {
      Index<D> offset{};
      offset[face / 2] = 2 * (face % 2) - 1;
      const auto neighbour = view_->neighbours().of(static_cast<std::int32_t>(leaf), direction_of<D>(offset));
      if (!neighbour.is_leaf() || view_->is_own(neighbour.leaf())) continue;
      const bool coarser =
          view_->neighbours().cells()[static_cast<std::size_t>(neighbour.leaf())].level < levels_[leaf];
      ++(coarser ? remote_faces : same_level);
    }
  }
  const auto bytes =
      static_cast<std::int64_t>(halos_.messages().sent_bytes() + flux_correction_.messages().sent_bytes());
  std::int64_t sums[] = {remote_faces, same_level, bytes};
  communicator().sum(std::span<std::int64_t>(sums));
  facts_.remote_faces = sums[0] + sums[1] / 2;
  facts_.halo_bytes = sums[2];
  facts_.by_levels = tree_.is_placed();
  facts_.most_leaves = 0;
  facts_.cube_faces = 0;
  if (communicator().size() == 1) {
    facts_.most_leaves = tree_.global_size();
    return;
  }
  std::int64_t last = -1;
  double faces = 0;  // of a cube of `last` leaves: most ranks have as many as the rank before
  std::vector<std::int64_t> of_placed;
  if (tree_.is_placed()) of_placed = communicator().all_gather(static_cast<std::int64_t>(size()));
  for (int rank = 0; rank < communicator().size(); ++rank) {
    const std::int64_t leaves =
        tree_.is_placed() ? of_placed[static_cast<std::size_t>(rank)] : tree_.partition().leaves(rank);
    if (leaves != last) faces = D * std::pow(static_cast<double>(leaves), (D - 1.0) / D);
    last = leaves;
    facts_.most_leaves = std::max(facts_.most_leaves, leaves);
    facts_.cube_faces += faces;
  }
}

template <int D>
std::size_t PatchMesh<D>::register_bytes() const {
  return flux_correction_.bytes() + halos_.buffer_bytes() + (local_steps_ ? local_steps_->bytes() : 0);
}

template <int D>
LocalSteps<D>& PatchMesh<D>::local_steps() {
  plan_local_steps();
  if (some_live_on_device_) upload_local_steps();
  return *local_steps_;
}

template <int D>
LocalSteps<D>& PatchMesh<D>::plan_local_steps() {
  if (!local_steps_) {
    local_steps_ =
        std::make_unique<LocalSteps<D>>(tree_, *view_, solver_, layout_, boundaries_, memory_.slots, patches_,
                                        lives_on_device() ? Residence::device : Residence::host);
  }
  return *local_steps_;
}

template <int D>
void PatchMesh<D>::correct(std::size_t i, double dt) const {
  const auto leaf = static_cast<std::size_t>(flux_correction_.coarse_leaves()[i]);
  flux_correction_.apply(i, patches_[leaf], dt, 1);
}

// The halos of a patch mesh: filled at once, or in the steps of a time step.

template <int D>
void PatchMesh<D>::fill_halos(double t, ThreadTeam& team) {
  if (!device_ || !is_current_on_device_) return halos_.fill(t, team);
  device_->halos().fill(t, team);
  home_is_stale();
}

template <int D>
void PatchMesh<D>::fill_whole_halos(std::span<const char> marked, double t, ThreadTeam& team) {
  HaloExchange<D>& whole = whole_halos(marked);
  if (!device_ || !is_current_on_device_) return whole.fill(t, team);
  device_->other_halos()->fill(t, team);
}

// The exchange that fills them, with its plan, whose tables are on the device if the state is.
template <int D>
HaloExchange<D>& PatchMesh<D>::whole_halos(std::span<const char> marked) {
  if (!whole_halos_) {
    whole_halos_ = std::unique_ptr<WholeHalos>(
        new WholeHalos{{solver_, layout_, boundaries_, memory_.slots, message_memory_}, {}});
  }
  WholeHalos& whole = *whole_halos_;
  const bool on_device = device_ && is_current_on_device_;
  const bool is_ready = whole.is_planned && std::ranges::equal(marked, whole.marked) &&
                        (!on_device || device_->other_halos() != nullptr);
  if (communicator().any(!is_ready)) {
    if (device_) device_->forget_other_halos();  // tables of an earlier plan
    whole.marked.assign(marked.begin(), marked.end());
    std::vector<char> of_view(view_->size(), 0);
    std::ranges::copy(marked, of_view.begin());
    const auto ghosts = view_->ghosts().exchange(communicator(), marked);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      of_view[static_cast<std::size_t>(view_->ghost(i))] = ghosts[i];
    whole.exchange.plan(tree_, *view_, {solvers::HaloShape::full, false, of_view}, patches_,
                        parallel::tag_of_whole_halos, "whole halos");
    if (some_live_on_device_) {
      communicator().agree([&] {
        if (on_device) device_->plan_other_halos(whole.exchange, device_mesh());
      });
    }
    whole.is_planned = true;
  }
  return whole.exchange;
}

template <int D>
void PatchMesh<D>::exchange_updated(std::size_t index, const UpdateOrder& updates) {
  if (solver_.traits().conservative) sum_fluxes(static_cast<std::size_t>(order_[index]));
  if (leaves_halos_) return;
  halos_.exchange_updated(static_cast<std::size_t>(order_[index]), [&](std::size_t other) {
    return updates.knows_before(static_cast<std::size_t>(order_index_[other]), index);
  });
}

template <int D>
void PatchMesh<D>::finish_halo(std::size_t index, const UpdateOrder& updates, double t) {
  halos_.finish_first_phase(
      static_cast<std::size_t>(order_[index]),
      [&](std::size_t other) { return updates.leaves_out(static_cast<std::size_t>(order_index_[other])); },
      t);
}

template <int D>
void PatchMesh<D>::prolong_halos(Arrival arrival, double t, ThreadTeam& team) {
  halos_.second_phase(arrival, t, team);
}

template <int D>
void PatchMesh<D>::sum_parts(std::size_t leaf) {
  if (!leaves_halos_) halos_.sum_parts(leaf);
}

template <int D>
void PatchMesh<D>::expect_messages() {
  flux_correction_.messages().start_receives();
  if (!leaves_halos_) halos_.expect_messages();
}

template <int D>
void PatchMesh<D>::start_fluxes(ThreadTeam& team) {
  flux_correction_.start_sends(team);
}

template <int D>
void PatchMesh<D>::finish_fluxes() {
  const trace::Scope scope("wait for fluxes");
  flux_correction_.messages().wait();
}

template <int D>
void PatchMesh<D>::start_halos(ThreadTeam& team) {
  halos_.start_sends(team);
}

template <int D>
void PatchMesh<D>::finish_halos(double t, ThreadTeam& team) {
  halos_.finish_receives(t, team);
}

template <int D>
bool PatchMesh<D>::poll() {
  const bool fluxes = flux_correction_.messages().poll(), halos = halos_.messages().poll();
  return fluxes && halos;
}

template class PatchMesh<2>;
template class PatchMesh<3>;

}  // namespace meander::mesh
