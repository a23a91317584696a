// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/traversal.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/trace.hpp"

namespace meander::tasks {

template <int D>
Traversal<D>::Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
                        OffloadEngine* engine)
    : context_{mesh, solver, team, messages_}, mesh_(mesh), solver_(solver) {
  if (engine != nullptr) {
    auto enclaves = std::make_unique<EnclaveSweep<D>>(context_, *engine);
    enclaves_ = enclaves.get();
    interior_ = std::move(enclaves);
  } else {
    interior_ = std::make_unique<CpuSweep<D>>(context_);
  }
}

template <int D>
SweepStatus Traversal<D>::advance(double t, double dt, double t_next) {
  status_.resize(mesh_.size());
  const solvers::Traits& traits = solver_.traits();
  const bool one_rank = mesh_.communicator().size() == 1;
  SweepStatus status;
  for (int stage = 0; stage < traits.stages; ++stage) {
    const double fraction = traits.time_after(stage);
    const double t_halo = fraction < 1 ? t + fraction * dt : t_next;
    const SweepCall call{stage, t, dt, status_};
    {
      const ScopedTimer timer(times_.update);
      mesh_.expect_messages();
      update_border(call);
      interior_->begin(call);
      if (traits.conservative) {
        start_flux_exchange();
        interior_->during_flux_exchange();
      }
    }
    if (traits.conservative) {
      finish_flux_exchange();
      correct(LeafGroup::border, dt);
    }
    {
      const ScopedTimer timer(times_.update);
      start_halo_exchange();
      interior_->finish();
    }
    if (traits.conservative) correct(LeafGroup::interior, dt);
    if (one_rank && stage == traits.stages - 1) {
      const ScopedTimer timer(times_.update);
      status = merge();
      if (status.failed) return status;
    }
    fill_halos(mesh::Arrival::local, t_halo);
    if (!mesh_.has_messages()) continue;
    finish_halo_exchange(t_halo);
    fill_halos(mesh::Arrival::received, t_halo);
  }
  if (one_rank) return status;
  const ScopedTimer timer(times_.waiting);
  return merge_over_ranks();
}

template <int D>
void Traversal<D>::update_border(const SweepCall& call) {
  update_leaves(context_, *interior_, call, passes_of(mesh_, solver_).border, "skeletons");
}

template <int D>
void Traversal<D>::start_flux_exchange() {
  mesh_.start_fluxes(context_.team);
  if (mesh_.has_flux_messages()) messages_.begin();
}

template <int D>
void Traversal<D>::finish_flux_exchange() {
  const ScopedTimer timer(times_.waiting);
  mesh_.finish_fluxes();
  messages_.end();
}

template <int D>
void Traversal<D>::correct(LeafGroup group, double dt) {
  const ScopedTimer timer(times_.flux_correction);
  const auto patches = mesh_.patches();
  const auto leaves = mesh_.flux_correction().coarse_leaves();
  const trace::Scope scope("flux correction", static_cast<std::int64_t>(leaves.size()));
  context_.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      if (mesh_.is_border(leaf) != (group == LeafGroup::border)) continue;
      mesh_.correct(i, dt);
      // The next time step follows from the corrected state; the counts of the update are kept.
      const auto corrected = solver_.enforce_floors(patches[leaf], mesh_.layout());
      status_[leaf].max_rate = corrected.max_rate;
      status_[leaf].floored += corrected.floored;
      status_[leaf].admissible = status_[leaf].admissible && corrected.admissible;
      mesh_.sum_parts(leaf);
    }
  });
}

template <int D>
void Traversal<D>::start_halo_exchange() {
  mesh_.start_halos(context_.team);
  if (mesh_.has_messages()) messages_.begin();
}

template <int D>
void Traversal<D>::finish_halo_exchange(double t) {
  const ScopedTimer timer(times_.waiting);
  mesh_.finish_halos(t, context_.team);
  messages_.end();
}

template <int D>
void Traversal<D>::fill_halos(mesh::Arrival arrival, double t) {
  const ScopedTimer timer(times_.halo);
  // Large messages advance only while they are polled.
  const bool polls = mesh_.has_messages() && arrival == mesh::Arrival::local;
  const Passes passes = passes_of(mesh_, solver_);
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
SweepStatus Traversal<D>::inspect() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  context_.team.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf)
      status_[leaf] = solver_.inspect(patches[leaf], mesh_.layout());
  });
  return merge_over_ranks();
}

template <int D>
SweepStatus Traversal<D>::enforce_floors() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  context_.team.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      status_[leaf] = solver_.enforce_floors(patches[leaf], mesh_.layout());
    }
  });
  return merge_over_ranks();
}

template <int D>
SweepStatus Traversal<D>::merge() const {
  SweepStatus merged;
  merged.min_crossing = std::numeric_limits<double>::infinity();
  const auto patches = mesh_.patches();
  for (std::size_t leaf = 0; leaf < patches.size(); ++leaf) {
    const solvers::PatchStatus& status = status_[leaf];
    merged.min_crossing = std::min(merged.min_crossing, patches[leaf].dx / status.max_rate);
    merged.first_order += status.first_order;
    merged.floored += status.floored;
    merged.strayed += status.strayed;
    if (status.breach.bound >= 0) {
      auto& first = merged.breached[static_cast<std::size_t>(status.breach.bound)];
      if (first.leaf < 0) first = {static_cast<std::int32_t>(leaf), status.breach};
    }
    if (!status.admissible && merged.inadmissible < 0) merged.inadmissible = static_cast<std::int32_t>(leaf);
  }
  merged.failed = merged.inadmissible >= 0;
  return merged;
}

template <int D>
SweepStatus Traversal<D>::merge_over_ranks() const {
  SweepStatus merged = merge();
  // One reduction for both values: no crossing time is negative.
  const trace::Scope scope("wait for reduction");
  const double least = mesh_.communicator().min(merged.failed ? -1.0 : merged.min_crossing);
  merged.failed = least < 0;
  if (!merged.failed) merged.min_crossing = least;
  return merged;
}

template class Traversal<2>;
template class Traversal<3>;

}  // namespace meander::tasks
