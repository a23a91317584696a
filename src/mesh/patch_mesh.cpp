// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_mesh.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "mesh/cut_tree.hpp"
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
      exchange_(solver, layout_, boundaries_, memory.slots, message_memory_),
      residence_({solver, layout_, boundaries_, message_memory_, tree_, view_, pool_, slots_, patches_,
                  local_steps_, exchange_}) {
  reserve(tree_.size());
  slots_.resize(tree_.size());
  for (int& slot : slots_) slot = pool_.acquire();
  cost_.assign(tree_.size(), 0.0);
  rebuild(ThreadTeam(1));
}

template <int D>
PatchMesh<D>::~PatchMesh() = default;

template <int D>
void PatchMesh<D>::reserve(std::size_t slots) {
  communicator().agree([&] {
    pool_.reserve(slots);
    residence_.reserve();
  });
}

template <int D>
solvers::PatchTask PatchMesh<D>::task(const Cell<D>& cell, double* slot) const {
  return patch_task<D>(tree_.domain(), layout_, boundaries_, cell, slot, solver_.traits().stage_blocks > 0);
}

template <int D>
void PatchMesh<D>::rebuild(const ThreadTeam& team) {
  static std::atomic<std::uint64_t> revisions{0};
  revision_ = ++revisions;
  residence_.forget_tables();
  local_steps_.reset();
  view_.emplace(tree_, team);
  levels_.resize(size());
  numbers_.resize(size());
  patches_.resize(view_->size());
  team.for_chunks(view_->size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const bool own = leaf < size();
      const Cell<D>& cell = view_->neighbours().cells()[leaf];
      if (own) levels_[leaf] = cell.level;
      if (own) numbers_[leaf] = tree_.number(leaf);
      patches_[leaf] = task(cell, own ? pool_[slots_[leaf]] : nullptr);
    }
  });
  exchange_.plan(tree_, *view_, patches_, residence_.kind(), team);
  if (whole_halos_) whole_halos_->is_planned = false;
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
  const auto bytes = static_cast<std::int64_t>(exchange_.halos().messages().sent_bytes() +
                                               exchange_.fluxes().messages().sent_bytes());
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
MeshBytes PatchMesh<D>::bytes() const {
  return {pool_.capacity() * pool_.slot_doubles() * sizeof(double) + exchange_.halos().ghost_bytes(),
          exchange_.bytes() + (local_steps_ ? local_steps_->bytes() : 0)};
}

template <int D>
LocalSteps<D>& PatchMesh<D>::local_steps() {
  plan_local_steps();
  residence_.prepare_local_steps();
  return *local_steps_;
}

template <int D>
LocalSteps<D>& PatchMesh<D>::plan_local_steps() {
  if (!local_steps_) {
    local_steps_ =
        std::make_unique<LocalSteps<D>>(tree_, *view_, solver_, layout_, boundaries_, memory_.slots,
                                        message_memory_, patches_, residence_.kind());
  }
  return *local_steps_;
}

template <int D>
LevelExchange<D>& PatchMesh<D>::level_exchange(int first, int last) {
  LevelExchange<D>& exchange = local_steps_->exchange(first, last);
  residence_.prepare_levels(first, last);
  return exchange;
}

template <int D>
void PatchMesh<D>::fill_halos(double t, ThreadTeam& team) {
  DevicePatches<D>* const device = residence_.current();
  if (device == nullptr) return exchange_.halos().fill(t, team);
  device->halos().fill(t, team);
  residence_.changed_on_device();
}

template <int D>
void PatchMesh<D>::fill_whole_halos(std::span<const char> marked, double t, ThreadTeam& team) {
  HaloExchange<D>& whole = whole_halos(marked, team);
  DevicePatches<D>* const device = residence_.current();
  if (device == nullptr) return whole.fill(t, team);
  device->other_halos()->fill(t, team);
}

// The exchange that fills them, with its plan, whose tables are on the device if the state is.
template <int D>
HaloExchange<D>& PatchMesh<D>::whole_halos(std::span<const char> marked, const ThreadTeam& team) {
  if (!whole_halos_) {
    whole_halos_ = std::unique_ptr<WholeHalos>(
        new WholeHalos{{solver_, layout_, boundaries_, memory_.slots, message_memory_}, {}});
  }
  WholeHalos& whole = *whole_halos_;
  DevicePatches<D>* const device = residence_.current();
  const bool is_ready = whole.is_planned && std::ranges::equal(marked, whole.marked) &&
                        (device == nullptr || device->other_halos() != nullptr);
  if (communicator().any(!is_ready)) {
    if (residence_.is_on_device()) residence_.device()->forget_other_halos();  // tables of an earlier plan
    whole.marked.assign(marked.begin(), marked.end());
    std::vector<char> of_view(view_->size(), 0);
    std::ranges::copy(marked, of_view.begin());
    const auto ghosts = view_->ghosts().exchange(communicator(), marked);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      of_view[static_cast<std::size_t>(view_->ghost(i))] = ghosts[i];
    whole.exchange.plan(tree_, *view_, {solvers::HaloShape::full, false, of_view}, patches_,
                        parallel::tag_of_whole_halos, "whole halos", team);
    if (residence_.is_on_device_of_any_rank()) {
      communicator().agree([&] {
        if (device != nullptr) device->plan_other_halos(whole.exchange, residence_.tables(), team);
      });
    }
    whole.is_planned = true;
  }
  return whole.exchange;
}

template class PatchMesh<2>;
template class PatchMesh<3>;

}  // namespace meander::mesh
