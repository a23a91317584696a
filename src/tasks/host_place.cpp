// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/host_place.hpp"

#include <utility>

#include "base/trace.hpp"
#include "tasks/interior_sweep.hpp"

namespace meander::tasks {

template <int D>
HostPlace<D>::HostPlace(const SweepContext<D>& context, offload::Engine* engine)
    : context_(context),
      mesh_(context.mesh),
      exchange_(context.mesh.exchange()),
      solver_(context.solver),
      tasks_(context.team, context.messages) {
  if (engine != nullptr) {
    auto enclaves = std::make_unique<EnclaveSweep<D>>(context_, *engine);
    enclaves_ = enclaves.get();
    interior_ = std::move(enclaves);
  } else {
    interior_ = std::make_unique<CpuSweep<D>>(context_);
  }
}

// Before a sweep.
template <int D>
void HostPlace<D>::prepare() {
  status_.resize(mesh_.size());
  context_.observers.prepare(mesh_.revision(), mesh_.size(), mesh_.layout());
}

template <int D>
void HostPlace<D>::update_border(const SweepCall& call) {
  prepare();
  SweepCall mine = call;
  mine.status = status_;
  exchange_.expect_messages();
  update_leaves(context_, *interior_, mine, passes_of(mesh_, solver_).border,
                exchange_.border() < mesh_.size() ? "skeletons" : "traversal");
  interior_->begin(mine);
}

template <int D>
void HostPlace<D>::start_fluxes() {
  exchange_.fluxes().start_sends(context_.team);
}

template <int D>
void HostPlace<D>::correct(LeafGroup group, double dt) {
  const auto patches = mesh_.patches();
  const auto leaves = exchange_.fluxes().coarse_leaves();
  const trace::Scope scope("flux correction", static_cast<std::int64_t>(leaves.size()));
  context_.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      if (exchange_.halos().plan().is_border(leaf) != (group == LeafGroup::border)) continue;
      exchange_.correct(i, dt);
      // The next time step follows from the corrected state; the counts of the update are kept.
      solvers::add_to_status(status_[leaf], solver_.enforce_floors(patches[leaf], mesh_.layout()));
      context_.observers.observe(leaf, patches[leaf]);
      exchange_.sum_parts(leaf);
    }
  });
}

template <int D>
void HostPlace<D>::fill(mesh::Arrival arrival, double t) {
  // Large messages advance only while they are polled. Along the curve there are only notices.
  const bool polls =
      exchange_.has_messages() && !exchange_.is_along_curve() && arrival == mesh::Arrival::local;
  const Passes passes = passes_of(mesh_, solver_);
  if (arrival == mesh::Arrival::local) exchange_.begin_halos(t);
  for (const Chunk& pass : {passes.border, passes.during_fluxes, passes.during_halos}) {
    for_indices(context_.team, pass, "fill halos", [&](std::size_t index, const Chunk& chunk) {
      if (exchange_.halos().plan().arrival(static_cast<std::size_t>(exchange_.order()[index])) == arrival)
        exchange_.finish_halo(index, interior_->update_order(index, pass, chunk), t);
      if (polls) context_.poll_every_few_leaves(index, chunk);
    });
  }
  exchange_.halos().second_phase(arrival, t, context_.team);
}

template <int D>
template <class Look>
solvers::Status HostPlace<D>::look_at_leaves(const Look& look) {
  const auto patches = mesh_.patches();
  prepare();
  context_.team.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      status_[leaf] = look(leaf);
      context_.observers.observe(leaf, patches[leaf]);
    }
  });
  return status();
}

template <int D>
solvers::Status HostPlace<D>::inspect(const LeafWork& first) {
  return look_at_leaves([&](std::size_t leaf) {
    if (first) first(leaf);
    return solver_.inspect(mesh_.patches()[leaf], mesh_.layout());
  });
}

template <int D>
solvers::Status HostPlace<D>::enforce_floors() {
  return look_at_leaves(
      [&](std::size_t leaf) { return solver_.enforce_floors(mesh_.patches()[leaf], mesh_.layout()); });
}

template <int D>
solvers::Status HostPlace<D>::status() {
  tasks_.finish(0);
  return merge(mesh_.patches(), mesh_.levels(), status_);
}

#define MEANDER_INSTANTIATE(D)                                                \
  template HostPlace<D>::HostPlace(const SweepContext<D>&, offload::Engine*); \
  template void HostPlace<D>::prepare();                                      \
  template void HostPlace<D>::update_border(const SweepCall&);                \
  template void HostPlace<D>::start_fluxes();                                 \
  template void HostPlace<D>::correct(LeafGroup, double);                     \
  template void HostPlace<D>::fill(mesh::Arrival, double);                    \
  template solvers::Status HostPlace<D>::status();                            \
  template solvers::Status HostPlace<D>::inspect(const LeafWork&);            \
  template solvers::Status HostPlace<D>::enforce_floors();
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
