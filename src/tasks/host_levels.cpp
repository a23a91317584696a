// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Steps by level of patches in host memory.
//
// In a stage of a group with messages the members that other ranks read (skeletons) are updated first; then the
// messages for the next stage leave, and travel while the others (enclaves) are updated. Members whose halos need no
// messages do not wait for any. Skeletons of the last stage are those that finer halos read within the step. Nobody
// reads the other members before the end of their step: these are tasks with this deadline (level_tasks.hpp), which
// fill the waits of finer levels.

#include <optional>

#include "base/process.hpp"
#include "base/timer.hpp"
#include "tasks/host_place.hpp"

namespace meander::tasks {

template <int D>
void HostPlace<D>::start_levels(const LevelClock& clock, int coarsest, bool may_postpone,
                                const LevelWork& at_time) {
  clock_ = &clock;
  coarsest_ = coarsest;
  may_postpone_ = may_postpone;
  at_time_ = at_time;
  steps_ = &mesh_.local_steps();
  prepare();
  status_.assign(mesh_.size(), {});
  stages_.assign(clock.levels(), {});
  deadlines_.assign(may_postpone ? mesh_.size() : 0, clock.levels());
  // One level more: skeletons of the finest one are due before it.
  tasks_.start(coarsest, clock.levels() + 1, [this](std::int32_t task) { update(task); });
}

template <int D>
void HostPlace<D>::start_tick() {
  if (!mesh_.layout().point_values) return;
  std::optional<Timer> timer(std::in_place, context_.times.halo);
  steps_->restrict_from(level(clock_->first()), context_.team, [&](parallel::NeighbourMessages& messages) {
    timer.reset();
    wait(messages, "wait for refined cells");
    timer.emplace(context_.times.halo);
  });
}

template <int D>
void HostPlace<D>::advance(const LevelGroup& group, int stage) {
  if (stage == 0) {
    const int last = mesh_.layout().point_values ? level(group.last) : steps_->finest();
    level_exchange_ = group.has_halos ? nullptr : &steps_->exchange(level(group.first), last);
    if (level_exchange_ != nullptr) send(group, stage);
  }
  for (std::size_t l = group.first; l <= group.last; ++l) {
    const bool keeps = l + 1 < clock_->levels() && (!mesh_.layout().point_values || l == group.last);
    stages_[l] = {stage, keeps ? &steps_->coarse(level(l)) : nullptr};
  }
  if (level_exchange_ != nullptr) {
    fill(group, stage);
  } else {
    put_tasks(group, stage, false);
  }
  {
    const Timer timer(context_.times.update);
    tasks_.finish(LevelTasks::deadline(group.last, LevelRole::skeleton));
  }
  if (stage == solver_.traits().stages - 1) return;
  send(group, stage + 1);
  const Timer timer(context_.times.update);
  tasks_.finish(LevelTasks::deadline(group.last, LevelRole::enclave), [&] {
    if (level_exchange_->messages().poll()) context_.messages.end();
  });
}

template <int D>
void HostPlace<D>::send(const LevelGroup& group, int stage) {
  const Timer timer(context_.times.halo);
  if (group.first > 0) {
    const int coarser = level(group.first) - 1;
    steps_->coarse(coarser).evaluate(stage_of(*clock_, group.first, stage), context_.team);
    if (at_time_) at_time_(coarser);
  }
  level_exchange_->send(context_.team);
  if (!level_exchange_->messages().is_empty()) context_.messages.begin();
}

template <int D>
void HostPlace<D>::fill(const LevelGroup& group, int stage) {
  const double t = time_before(stage, (*clock_)[group.first], solver_.traits());
  {
    const Timer timer(context_.times.halo);
    level_exchange_->fill_local(t, context_.team);
  }
  put_tasks(group, stage, false);
  if (level_exchange_->messages().is_empty()) return;
  wait(level_exchange_->messages(), "wait for halos");
  {
    const Timer timer(context_.times.halo);
    level_exchange_->finish_fill(t, context_.team);
  }
  put_tasks(group, stage, true);
}

template <int D>
void HostPlace<D>::put_tasks(const LevelGroup& group, int stage, bool waiting) {
  const bool is_last = stage == solver_.traits().stages - 1;
  struct Ready {
    std::vector<std::int32_t> skeletons, enclaves;
  };
  std::vector<Ready> ready(group.last - group.first + 1);
  const auto put = [&](int of_level, std::int32_t task, bool is_border) {
    std::size_t l = static_cast<std::size_t>(of_level - coarsest_);
    const auto* const kept = stages_[l].kept;
    const bool is_skeleton = is_last ? kept != nullptr && kept->reads(task) : is_border;
    if (mesh_.layout().point_values) l = group.last;  // the levels of a group end their step together
    (is_skeleton ? ready[l - group.first].skeletons : ready[l - group.first].enclaves).push_back(task);
    if (is_last && may_postpone_)
      deadlines_[static_cast<std::size_t>(task)] =
          LevelTasks::deadline(l, is_skeleton ? LevelRole::skeleton : LevelRole::enclave);
  };
  if (level_exchange_ == nullptr) {
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf)
      put(mesh_.levels()[leaf], static_cast<std::int32_t>(leaf), false);
  } else {
    const auto members = level_exchange_->members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& member = members[i];
      const bool is_shadow = member.leaf_of_mesh < 0;
      if (member.level > level(group.last)) continue;  // halos of these are filled once more
      // Nobody reads shadows after their step.
      if (level_exchange_->waits(member.patch) != waiting || (is_last && is_shadow)) continue;
      put(member.level, is_shadow ? -1 - static_cast<std::int32_t>(i) : member.leaf_of_mesh,
          level_exchange_->is_border(member.patch));
    }
  }
  for (std::size_t l = group.first; l <= group.last; ++l) {
    tasks_.put(l, LevelRole::skeleton, ready[l - group.first].skeletons);
    tasks_.put(l, LevelRole::enclave, ready[l - group.first].enclaves);
  }
}

template <int D>
void HostPlace<D>::update(std::int32_t task) {
  const bool is_shadow = task < 0, is_staged = mesh_.layout().point_values;
  const auto leaf = static_cast<std::size_t>(is_shadow ? -1 - task : task);
  const bool measures = mesh_.measures_cost() && !is_shadow;
  const double start = measures ? thread_processor_seconds() : 0;
  const int of_level = is_shadow ? level_exchange_->members()[leaf].level : mesh_.levels()[leaf];
  const auto l = static_cast<std::size_t>(of_level - coarsest_);
  const auto [stage, kept] = stages_[l];
  const LevelClock::Level& now = (*clock_)[l];
  const solvers::PatchTask& patch =
      is_shadow ? level_exchange_->patch(level_exchange_->members()[leaf]) : steps_->patches()[leaf];
  if (kept != nullptr && !is_staged) kept->keep_state(task);
  solvers::PatchStatus status;
  solver_.update({&patch, 1}, mesh_.layout(), stage, now.t, now.dt, {&status, 1});
  if (is_shadow) return;
  if (kept != nullptr && is_staged) kept->keep_rates(task, stage);
  if (stage == solver_.traits().stages - 1) {
    solvers::add_to_status(status_[leaf], status);
    context_.observers.observe(leaf, patch);
    if (!is_staged && l > 0) steps_->fluxes(of_level - 1).add_step(leaf, now.substep);
  }
  if (measures) mesh_.add_cost(leaf, (thread_processor_seconds() - start) / context_.team.size());
}

template <int D>
void HostPlace<D>::finish_tick() {
  const Timer timer(context_.times.update);
  tasks_.finish(may_postpone_ ? clock_->ending() : 0);
}

template <int D>
void HostPlace<D>::reflux(std::size_t of_clock, int fine_steps) {
  mesh::FluxCorrection<D>& fluxes = steps_->fluxes(level(of_clock));
  fluxes.messages().start_receives();
  fluxes.start_sends(context_.team);
  wait(fluxes.messages(), "wait for fluxes");
  const Timer timer(context_.times.flux_correction);
  const auto leaves = fluxes.coarse_leaves();
  context_.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      const solvers::PatchTask& patch = steps_->patches()[leaf];
      fluxes.apply(i, patch, (*clock_)[of_clock].dt, fine_steps);
      solvers::add_to_status(status_[leaf], solver_.enforce_floors(patch, mesh_.layout()));
      context_.observers.observe(leaf, patch);
    }
  });
}

template <int D>
template <class Messages>
void HostPlace<D>::wait(Messages& messages, const char* trace_name) {
  if (messages.is_empty()) return;
  context_.messages.begin();
  {
    const Timer timer(context_.times.update);
    tasks_.work_until([&] {
      if (!messages.poll()) return false;
      context_.messages.end();
      return true;
    });
  }
  const Timer timer(context_.times.waiting, context_.times.messages, trace_name);
  messages.wait();
  context_.messages.end();
}

template <int D>
void HostPlace<D>::wait_for(parallel::MaxReduction& reduction) {
  wait(reduction, "wait for reduction");
}

template <int D>
solvers::Status HostPlace<D>::due() {
  if (!may_postpone_) return merge(mesh_.patches(), mesh_.levels(), status_);
  std::vector<solvers::PatchStatus> statuses = status_;
  for (std::size_t leaf = 0; leaf < statuses.size(); ++leaf) {
    if (deadlines_[leaf] < clock_->first()) statuses[leaf] = {};
  }
  return merge(mesh_.patches(), mesh_.levels(), statuses);
}

#define MEANDER_INSTANTIATE(D)                                                              \
  template void HostPlace<D>::start_levels(const LevelClock&, int, bool, const LevelWork&); \
  template void HostPlace<D>::start_tick();                                                 \
  template void HostPlace<D>::advance(const LevelGroup&, int);                              \
  template void HostPlace<D>::finish_tick();                                                \
  template void HostPlace<D>::reflux(std::size_t, int);                                     \
  template void HostPlace<D>::wait_for(parallel::MaxReduction&);                            \
  template solvers::Status HostPlace<D>::due();
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
