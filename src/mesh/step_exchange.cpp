// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_exchange.hpp"

#include <algorithm>

#include "base/trace.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {

template <int D>
void StepExchange<D>::plan(const DistributedTree<D>& tree, const LocalView<D>& view,
                           std::span<solvers::PatchTask> patches, Residence residence,
                           const ThreadTeam& team) {
  const auto& traits = solver_.traits();
  patches_ = patches;
  corrected_.assign(tree.size(), 0);
  if (traits.conservative) {
    fluxes_ = FluxCorrection<D>(view, layout_);
    fluxes_.connect(tree.communicator(), parallel::tag_of_fluxes, "fluxes", message_memory_);
    if (residence == Residence::host) fluxes_.attach(patches);
    for (const std::int32_t leaf : fluxes_.coarse_leaves()) corrected_[static_cast<std::size_t>(leaf)] = 1;
  }
  halos_.plan(tree, view, {traits.halo_shape, traits.conservative, {}}, patches, parallel::tag_of_halos,
              "halos", team);
  const auto peers = halos_.plan().peers();
  reads_in_place_ = !peers.empty() && std::ranges::all_of(peers, [&](const auto& peer) {
    return tree.communicator().has_window_to(peer.rank);
  });
  order_leaves();
}

template <int D>
void StepExchange<D>::order_leaves() {
  const std::size_t leaves = corrected_.size();
  is_along_curve_ = reads_in_place_ && !keeps_border_first_ && solver_.traits().stages == 1;
  order_.clear();
  for (const bool border : {true, false}) {
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      if ((is_along_curve_ || halos_.plan().is_border(leaf)) == border)
        order_.push_back(static_cast<std::int32_t>(leaf));
    }
    if (border) border_ = order_.size();
  }
  order_index_.resize(leaves);
  for (std::size_t index = 0; index < leaves; ++index) {
    const auto leaf = static_cast<std::size_t>(order_[index]);
    order_index_[leaf] = static_cast<std::int32_t>(index);
    patches_[leaf].next =
        index + 1 < leaves ? patches_[static_cast<std::size_t>(order_[index + 1])].q : nullptr;
  }
}

template <int D>
void StepExchange<D>::expect_messages() {
  if (step_.has_fluxes) fluxes_.messages().start_receives();
  if (!step_.leaves_halos) halos_.expect_messages();
}

template <int D>
void StepExchange<D>::exchange_updated(std::size_t index, const UpdateOrder& updates) {
  const auto leaf = static_cast<std::size_t>(order_[index]);
  if (step_.has_fluxes) fluxes_.add_step(leaf, 0);
  if (step_.leaves_halos) return;
  halos_.exchange_updated(leaf, [&](std::size_t other) {
    return updates.knows_before(static_cast<std::size_t>(order_index_[other]), index);
  });
}

template <int D>
void StepExchange<D>::finish_fluxes() {
  const trace::Scope scope("wait for fluxes");
  fluxes_.messages().wait();
}

template <int D>
void StepExchange<D>::correct(std::size_t i, double dt) const {
  fluxes_.apply(i, patches_[static_cast<std::size_t>(fluxes_.coarse_leaves()[i])], dt, 1);
}

template <int D>
void StepExchange<D>::finish_halo(std::size_t index, const UpdateOrder& updates, double t) {
  halos_.finish_first_phase(
      static_cast<std::size_t>(order_[index]),
      [&](std::size_t other) { return updates.leaves_out(static_cast<std::size_t>(order_index_[other])); },
      t);
}

template <int D>
bool StepExchange<D>::poll() {
  const bool fluxes = fluxes_.messages().poll(), halos = halos_.messages().poll();
  return fluxes && halos;
}

template class StepExchange<2>;
template class StepExchange<3>;

}  // namespace meander::mesh
