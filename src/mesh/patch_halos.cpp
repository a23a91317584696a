// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The halos of a patch mesh: filled at once, or in the steps of a time step.
#include <algorithm>

#include "base/trace.hpp"
#include "mesh/patch_mesh.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {

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
  halos_.sum_parts(leaf);
}

template <int D>
void PatchMesh<D>::expect_messages() {
  flux_correction_.messages().start_receives();
  halos_.expect_messages();
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

#define MEANDER_INSTANTIATE(D)                                                              \
  template void PatchMesh<D>::fill_halos(double, ThreadTeam&);                              \
  template void PatchMesh<D>::fill_whole_halos(std::span<const char>, double, ThreadTeam&); \
  template void PatchMesh<D>::exchange_updated(std::size_t, const UpdateOrder&);            \
  template void PatchMesh<D>::finish_halo(std::size_t, const UpdateOrder&, double);         \
  template void PatchMesh<D>::prolong_halos(Arrival, double, ThreadTeam&);                  \
  template void PatchMesh<D>::sum_parts(std::size_t);                                       \
  template void PatchMesh<D>::expect_messages();                                            \
  template void PatchMesh<D>::start_fluxes(ThreadTeam&);                                    \
  template void PatchMesh<D>::finish_fluxes();                                              \
  template void PatchMesh<D>::start_halos(ThreadTeam&);                                     \
  template void PatchMesh<D>::finish_halos(double, ThreadTeam&);                            \
  template bool PatchMesh<D>::poll();
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
