// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/traversal.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>

namespace meander::tasks {
namespace {

using Clock = std::chrono::steady_clock;

double lap(Clock::time_point& since) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - since).count();
  since = now;
  return seconds;
}

}  // namespace

template <int D>
SweepStatus Traversal<D>::advance(double t, double dt) {
  const auto patches = mesh_.patches();
  const int stages = solver_.traits().stages;
  status_.resize(patches.size());
  SweepStatus status;
  auto clock = Clock::now();
  for (int stage = 0; stage < stages; ++stage) {
    team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t leaf = begin; leaf < end; ++leaf) {
        solver_.update(patches.subspan(leaf, 1), mesh_.layout(), stage, t, dt,
                       std::span(status_).subspan(leaf, 1));
        mesh_.exchange_updated(leaf, {begin, end});
      }
    });
    times_.update += lap(clock);
    if (solver_.traits().conservative) {
      const auto& correction = mesh_.flux_correction();
      const auto leaves = correction.coarse_leaves();
      team_.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto leaf = static_cast<std::size_t>(leaves[i]);
          correction.apply(i, patches[leaf], dt);
          // The next time step comes from the corrected state; what the update counted stays counted.
          const auto corrected = solver_.enforce_floors(patches[leaf], mesh_.layout());
          status_[leaf].max_rate = corrected.max_rate;
          status_[leaf].floored += corrected.floored;
          status_[leaf].admissible = status_[leaf].admissible && corrected.admissible;
        }
      });
    }
    times_.flux_correction += lap(clock);
    status = merge();
    if (status.inadmissible >= 0) return status;
    team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t leaf = begin; leaf < end; ++leaf) mesh_.finish_halo(leaf, {begin, end}, t + dt);
    });
    times_.halo += lap(clock);
  }
  return status;
}

template <int D>
SweepStatus Traversal<D>::inspect() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf)
      status_[leaf] = solver_.inspect(patches[leaf], mesh_.layout());
  });
  return merge();
}

template <int D>
SweepStatus Traversal<D>::enforce_floors() {
  const auto patches = mesh_.patches();
  status_.resize(patches.size());
  team_.for_chunks(patches.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf)
      status_[leaf] = solver_.enforce_floors(patches[leaf], mesh_.layout());
  });
  return merge();
}

template <int D>
void Traversal<D>::fill_halos(double t) {
  team_.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) mesh_.fill_halo(leaf, t);
  });
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
    if (!status.admissible && merged.inadmissible < 0) merged.inadmissible = static_cast<std::int32_t>(leaf);
  }
  return merged;
}

template class Traversal<2>;
template class Traversal<3>;

}  // namespace meander::tasks
