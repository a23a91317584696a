// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/host_work.hpp"

#include <utility>

#include "base/trace.hpp"
#include "tasks/cpu_sweep.hpp"

namespace meander::tasks {

template <int D>
HostWork<D>::HostWork(const SweepContext<D>& context, offload::Engine* engine)
    : context_(context), mesh_(context.mesh), solver_(context.solver) {
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
void HostWork<D>::prepare() {
  status_.resize(mesh_.size());
  context_.observers.prepare(mesh_.revision(), mesh_.size(), mesh_.layout());
}

template <int D>
void HostWork<D>::update_border(const SweepCall& call) {
  prepare();
  SweepCall mine = call;
  mine.status = status_;
  mesh_.expect_messages();
  update_leaves(context_, *interior_, mine, passes_of(mesh_, solver_).border, "skeletons");
  interior_->begin(mine);
}

template <int D>
void HostWork<D>::start_fluxes() {
  mesh_.start_fluxes(context_.team);
}

template <int D>
void HostWork<D>::correct(LeafGroup group, double dt) {
  const auto patches = mesh_.patches();
  const auto leaves = mesh_.flux_correction().coarse_leaves();
  const trace::Scope scope("flux correction", static_cast<std::int64_t>(leaves.size()));
  context_.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      if (mesh_.is_border(leaf) != (group == LeafGroup::border)) continue;
      mesh_.correct(i, dt);
      // The next time step follows from the corrected state; the counts of the update are kept.
      solvers::add_to_status(status_[leaf], solver_.enforce_floors(patches[leaf], mesh_.layout()));
      context_.observers.observe(leaf, patches[leaf]);
      mesh_.sum_parts(leaf);
    }
  });
}

template <int D>
void HostWork<D>::fill(mesh::Arrival arrival, double t) {
  // Large messages advance only while they are polled.
  const bool polls = mesh_.has_messages() && arrival == mesh::Arrival::local;
  const Passes passes = passes_of(mesh_, solver_);
  if (arrival == mesh::Arrival::local) mesh_.begin_halos(t);
  for (const Chunk& pass : {passes.border, passes.during_fluxes, passes.during_halos}) {
    for_indices(context_.team, pass, "fill halos", [&](std::size_t index, const Chunk& chunk) {
      if (mesh_.arrival(static_cast<std::size_t>(mesh_.order()[index])) == arrival)
        mesh_.finish_halo(index, interior_->update_order(index, pass, chunk), t);
      if (polls) context_.poll_every_few_leaves(index, chunk);
    });
  }
  mesh_.prolong_halos(arrival, t, context_.team);
}

template <int D>
solvers::Status HostWork<D>::inspect() {
  const auto patches = mesh_.patches();
  prepare();
  context_.team.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      status_[leaf] = solver_.inspect(patches[leaf], mesh_.layout());
      context_.observers.observe(leaf, patches[leaf]);
    }
  });
  return status();
}

template <int D>
solvers::Status HostWork<D>::enforce_floors() {
  const auto patches = mesh_.patches();
  prepare();
  context_.team.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      status_[leaf] = solver_.enforce_floors(patches[leaf], mesh_.layout());
      context_.observers.observe(leaf, patches[leaf]);
    }
  });
  return status();
}

template <int D>
solvers::Status HostWork<D>::status() {
  return merge(mesh_.patches(), mesh_.levels(), status_);
}

template class HostWork<2>;
template class HostWork<3>;

}  // namespace meander::tasks
