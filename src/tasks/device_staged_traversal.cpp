// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_staged_traversal.hpp"

#include "base/timer.hpp"
#include "tasks/device_work.hpp"

namespace meander::tasks {

template <int D>
void DeviceStagedTraversal<D>::advance_levels(bool is_first) {
  if (is_first) {
    mesh_.begin_on_device();
    device_ = &mesh_.groups_on_device();
    device_->begin_step();
    busy_.start(levels_);
  }
  {
    const Timer timer(times_.halo);
    device_->restrict_from(level(clock_.first()), busy_.waiting(times_, "wait for halos"));
  }
  for (std::size_t first = clock_.first(); first < levels_;) {
    const std::size_t last = clock_.last_with_step_of(first);
    advance_group(first, last);
    first = last + 1;
  }
}

template <int D>
void DeviceStagedTraversal<D>::advance_group(std::size_t first, std::size_t last) {
  const int coarsest = level(first), finest = level(last);
  counts_.shadow_updates += mesh_.level_exchange(coarsest, finest).shadows();
  const LevelClock::Level& now = clock_[first];
  const solvers::Traits& traits = solver_.traits();
  for (int stage = 0; stage < traits.stages; ++stage) {
    const double t = stage == 0 ? now.t : now.t + traits.time_after(stage - 1) * now.dt;
    {
      const Timer timer(times_.halo);
      device_->fill(coarsest, finest, this->stage_at(first, stage), t, team_,
                    busy_.waiting(times_, "wait for halos"));
    }
    const Timer timer(times_.update);
    device_->update(coarsest, finest, {stage, now.t, now.dt});
  }
  for (std::size_t l = first; l <= last; ++l) busy_.count_update(l);
}

template <int D>
solvers::Status DeviceStagedTraversal<D>::merged() {
  const solvers::Status status = device_->status();
  busy_.charge(mesh_, level(0), [this](int of) { return device_->leaves(of); });
  return status;
}

template class DeviceStagedTraversal<2>;
template class DeviceStagedTraversal<3>;

}  // namespace meander::tasks
