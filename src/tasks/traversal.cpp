// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/traversal.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/trace.hpp"

namespace meander::tasks {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Adds to `total` what has passed since `since`, which becomes now.
void lap(Clock::time_point& since, double& total) {
  const auto now = Clock::now();
  total += seconds(now - since);
  since = now;
}

// Leaves between two looks at the messages: a look costs about a microsecond.
constexpr std::size_t leaves_a_poll = 8;
// The part of the interior that is updated while the fluxes travel; the rest hides the halos, which are
// larger.
constexpr std::size_t flux_share = 4;

}  // namespace

template <int D>
template <class Body>
void Traversal<D>::for_chunks(const Pass& pass, const char* name, const Body& body) {
  team_.for_chunks(pass.end - pass.begin, [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope(name, static_cast<std::int64_t>(end - begin));
    const Chunk chunk{pass.begin + begin, pass.begin + end};
    for (std::size_t place = chunk.begin; place < chunk.end; ++place) body(place, chunk);
  });
}

template <int D>
SweepStatus Traversal<D>::advance(double t, double dt, double t_next) {
  status_.resize(mesh_.size());
  const bool conservative = solver_.traits().conservative;
  const std::size_t border = mesh_.border(), inner = mesh_.size() - border;
  const std::size_t hides_fluxes = conservative && mesh_.has_flux_messages() ? inner / flux_share : 0;
  const Pass passes[] = {{0, border}, {border, border + hides_fluxes}, {border + hides_fluxes, mesh_.size()}};
  SweepStatus status;
  auto clock = Clock::now();
  const int stages = solver_.traits().stages;
  for (int stage = 0; stage < stages; ++stage) {
    const double part = solver_.traits().time_after(stage);
    const double t_halo = part < 1 ? t + part * dt : t_next;
    mesh_.expect_messages();
    update(passes[0], "skeletons", stage, t, dt);
    if (enclaves_) enclaves_->begin(stage, t, dt, status_);
    if (conservative) {
      mesh_.start_fluxes(team_);
      if (mesh_.has_flux_messages()) messages_.begin();
      if (enclaves_) {
        enclaves_->traverse();
        if (mesh_.has_flux_messages()) enclaves_->work_while_messages_travel();
      } else {
        update(passes[1], "traversal", stage, t, dt);
      }
      lap(clock, times_.update);
      mesh_.finish_fluxes();
      messages_.end();
      lap(clock, times_.waiting);
      correct(true, dt);
      lap(clock, times_.flux_correction);
    }
    mesh_.start_halos(team_);
    if (mesh_.has_messages()) messages_.begin();
    if (enclaves_) {
      if (!conservative) enclaves_->traverse();
      enclaves_->finish();
    } else {
      update(passes[2], "traversal", stage, t, dt);
    }
    lap(clock, times_.update);
    if (conservative) correct(false, dt);
    lap(clock, times_.flux_correction);
    if (mesh_.communicator().size() == 1 && stage == stages - 1) {
      status = merge();
      if (status.failed) return status;
    }
    for (const Pass& pass : passes) finish_halos(pass, false, t_halo);
    mesh_.prolong_halos(mesh::Arrival::local, t_halo, team_);
    lap(clock, times_.halo);
    if (!mesh_.has_messages()) continue;
    mesh_.finish_halos(t_halo, team_);
    messages_.end();
    lap(clock, times_.waiting);
    for (const Pass& pass : passes) finish_halos(pass, true, t_halo);
    mesh_.prolong_halos(mesh::Arrival::received, t_halo, team_);
    lap(clock, times_.halo);
  }
  if (mesh_.communicator().size() > 1) status = merge_over_ranks();
  lap(clock, times_.waiting);
  return status;
}

template <int D>
void Traversal<D>::update(const Pass& pass, const char* name, int stage, double t, double dt) {
  const auto patches = mesh_.patches();
  const bool poll = mesh_.has_messages(), measure = mesh_.measures_cost();
  for_chunks(pass, name, [&](std::size_t place, const Chunk& chunk) {
    const auto leaf = static_cast<std::size_t>(mesh_.order()[place]);
    const auto start = measure ? Clock::now() : Clock::time_point();
    std::optional<Hiding> hiding;
    if (poll) hiding.emplace(messages_, nullptr);
    solver_.update(patches.subspan(leaf, 1), mesh_.layout(), stage, t, dt,
                   std::span(status_).subspan(leaf, 1));
    if (hiding) hiding->end();
    mesh_.exchange_updated(place, update_order(place, pass, chunk));
    if (measure) mesh_.add_cost(leaf, seconds(Clock::now() - start));
    if (poll && (place - chunk.begin) % leaves_a_poll == leaves_a_poll - 1 && mesh_.poll()) messages_.end();
  });
}

template <int D>
void Traversal<D>::correct(bool border, double dt) {
  const auto patches = mesh_.patches();
  const auto leaves = mesh_.flux_correction().coarse_leaves();
  const trace::Scope scope("flux correction", static_cast<std::int64_t>(leaves.size()));
  team_.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      if (mesh_.is_border(leaf) != border) continue;
      mesh_.correct(i, dt);
      // The next time step comes from the corrected state; what the update counted stays counted.
      const auto corrected = solver_.enforce_floors(patches[leaf], mesh_.layout());
      status_[leaf].max_rate = corrected.max_rate;
      status_[leaf].floored += corrected.floored;
      status_[leaf].admissible = status_[leaf].admissible && corrected.admissible;
      mesh_.sum_parts(leaf);
    }
  });
}

template <int D>
void Traversal<D>::finish_halos(const Pass& pass, bool receiving, double t) {
  const bool poll = mesh_.has_messages() && !receiving;
  for_chunks(pass, "fill halos", [&](std::size_t place, const Chunk& chunk) {
    if (mesh_.receives(static_cast<std::size_t>(mesh_.order()[place])) == receiving)
      mesh_.finish_halo(place, update_order(place, pass, chunk), t);
    // Large messages only move on while somebody looks at them.
    if (poll && (place - chunk.begin) % leaves_a_poll == leaves_a_poll - 1 && mesh_.poll()) messages_.end();
  });
}

template <int D>
SweepStatus Traversal<D>::inspect() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf)
      status_[leaf] = solver_.inspect(patches[leaf], mesh_.layout());
  });
  return merge_over_ranks();
}

template <int D>
SweepStatus Traversal<D>::enforce_floors() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
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
  // One reduction for both: no crossing time is negative.
  const trace::Scope scope("wait for reduction");
  const double least = mesh_.communicator().min(merged.failed ? -1.0 : merged.min_crossing);
  merged.failed = least < 0;
  if (!merged.failed) merged.min_crossing = least;
  return merged;
}

template class Traversal<2>;
template class Traversal<3>;

}  // namespace meander::tasks
