// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_local_traversal.hpp"

#include <optional>

#include "base/timer.hpp"

namespace meander::tasks {

template <int D>
void DeviceLocalTraversal<D>::advance_levels(bool is_first) {
  if (is_first) {
    mesh_.begin_on_device();
    device_ = &mesh_.local_steps_on_device();
    device_->begin_step();
    busy_.start(levels_);
  }
  std::size_t first = clock_.first();
  if (!mesh_.layout().point_values)
    return advance_group(first, levels_ - 1, is_first ? Halos::full : Halos::old);
  fill_by([&](const mesh::WaitForRanks& wait) { device_->restrict_from(level(first), wait); });
  while (first < levels_) {
    const std::size_t last = clock_.last_with_step_of(first);
    counts_.shadow_updates += mesh_.level_exchange(level(first), level(last)).shadows();
    advance_group(first, last, Halos::old);  // those of shadows
    first = last + 1;
  }
}

template <int D>
void DeviceLocalTraversal<D>::advance_group(std::size_t first, std::size_t last, Halos halos) {
  const int coarsest = level(first), finest = level(last);
  const LevelClock::Level& now = clock_[first];
  const solvers::Traits& traits = solver_.traits();
  steps_.clear();
  for (std::size_t l = first; l <= last; ++l) {
    steps_.push_back({clock_[l].t, clock_[l].dt, clock_[l].substep});
    busy_.count_update(l);
  }
  device_->keep(coarsest, finest);
  for (int stage = 0; stage < traits.stages; ++stage) {
    if (stage > 0 || halos == Halos::old) {
      const double t = stage == 0 ? now.t : now.t + traits.time_after(stage - 1) * now.dt;
      fill_by([&](const mesh::WaitForRanks& wait) {
        device_->fill(coarsest, finest, this->stage_at(first, stage), t, team_, wait);
      });
    }
    const Timer timer(times_.update);
    device_->update(coarsest, finest, stage, steps_);
  }
}

template <int D>
template <class Work>
void DeviceLocalTraversal<D>::fill_by(const Work& work) {
  std::optional<Timer> timer(std::in_place, times_.halo);
  const mesh::WaitForRanks wait = busy_.waiting(times_, "wait for halos");
  work([&](parallel::NeighbourMessages& messages) {
    timer.reset();
    wait(messages);
    timer.emplace(times_.halo);
  });
}

template <int D>
void DeviceLocalTraversal<D>::end_step(std::size_t coarse, int fine_steps) {
  if (mesh_.layout().point_values) return;
  const Timer timer(times_.flux_correction);
  device_->reflux(level(coarse), clock_[coarse].dt, fine_steps, busy_.waiting(times_, "wait for fluxes"));
}

template <int D>
solvers::Status DeviceLocalTraversal<D>::merged() {
  const solvers::Status status = device_->status();
  busy_.charge(mesh_, level(0), [this](int of) { return device_->leaves(of); });
  return status;
}

template class DeviceLocalTraversal<2>;
template class DeviceLocalTraversal<3>;

}  // namespace meander::tasks
