// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/step.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/timer.hpp"
#include "tasks/device_place.hpp"
#include "tasks/host_place.hpp"
#include "tasks/step_plan.hpp"

namespace meander::tasks {

template <int D>
Step<D>::Step(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
              offload::Engine* engine, LeafObservers* observers)
    : context_{mesh, solver, team, messages_, observers != nullptr ? *observers : none_, times_},
      mesh_(mesh),
      exchange_(mesh.exchange()),
      solver_(solver) {
  if (mesh.residence().is_on_device()) {
    place_ = std::make_unique<DevicePlace<D>>(context_);
    return;
  }
  if (engine != nullptr) exchange_.keep_border_first();
  auto place = std::make_unique<HostPlace<D>>(context_, engine);
  enclaves_ = place->enclaves();
  place_ = std::move(place);
}

template <int D>
solvers::Status Step<D>::advance(double t, double dt, double t_next, Halos halos) {
  const solvers::Traits& traits = solver_.traits();
  const bool one_rank = mesh_.communicator().size() == 1;
  solvers::Status status;
  mesh_.residence().prepare_step(context_.team);
  exchange_.begin({.defers_halos = halos == Halos::deferred && !mesh_.residence().is_on_device_of_any_rank(),
                   .leaves_halos = halos == Halos::none});
  for (int stage = 0; stage < traits.stages; ++stage) {
    const bool is_last = stage == traits.stages - 1;
    const double fraction = traits.time_after(stage);
    const double t_halo = fraction < 1 ? t + fraction * dt : t_next;
    {
      const Timer timer(times_.update);
      place_->update_border({stage, t, dt});
      if (traits.conservative) {
        place_->start_fluxes();
        if (exchange_.has_flux_messages()) messages_.begin();
        place_->update_during_fluxes();
      }
    }
    if (traits.conservative) {
      {
        const Timer timer(times_.waiting, times_.messages);
        place_->finish_fluxes();
        messages_.end();
      }
      correct(LeafGroup::border, dt);
    }
    {
      const Timer timer(times_.update);
      if (halos != Halos::none) {
        place_->start_halos();
        if (exchange_.has_messages()) messages_.begin();
      }
      place_->update_rest();
    }
    if (traits.conservative) correct(LeafGroup::interior, dt);
    if (one_rank && is_last && !place_->fills_before_status()) {
      const Timer timer(times_.update);
      status = place_->status();
      if (status.failed) return status;
    }
    if (halos != Halos::none) finish_halos(t_halo);
  }
  if (one_rank && !place_->fills_before_status()) return status;
  const Timer timer(times_.waiting);
  status = place_->status();
  const Timer of_messages(times_.messages);
  return merge_over_ranks(status, mesh_.communicator());
}

template <int D>
void Step<D>::change(const LeafChange& change, double t) {
  assert(enclaves_ == nullptr);
  mesh_.residence().prepare_step(context_.team);
  if (mesh_.residence().is_on_device_of_any_rank()) {
    change.all();
    mesh_.fill_halos(t, context_.team);
    return;
  }
  exchange_.begin({.defers_halos = true, .has_fluxes = false});
  {
    const Timer timer(times_.update);
    place_->update_border({.t = t, .change = &change.one});
    place_->start_halos();
    if (exchange_.has_messages()) messages_.begin();
    if (solver_.traits().conservative) place_->update_during_fluxes();
    place_->update_rest();
  }
  finish_halos(t);
}

// After the update and correction of all leaves.
template <int D>
void Step<D>::finish_halos(double t) {
  fill_halos(mesh::Arrival::local, t);
  if (!exchange_.has_messages()) return;
  {
    const Timer timer(times_.waiting, times_.messages);
    place_->finish_halos(t);
    messages_.end();
  }
  fill_halos(mesh::Arrival::received, t);
}

template <int D>
void Step<D>::correct(LeafGroup group, double dt) {
  const Timer timer(times_.flux_correction);
  place_->correct(group, dt);
}

template <int D>
void Step<D>::fill_halos(mesh::Arrival arrival, double t) {
  const Timer timer(times_.halo);
  place_->fill(arrival, t);
}

template <int D>
solvers::Status Step<D>::advance(double t, double dt, double t_next, std::span<const int> ratios,
                                 const LocalStepRule& rule) {
  const mesh::LocalSteps<D>& steps = mesh_.local_steps();
  const int coarsest = steps.coarsest();
  clock_.start(static_cast<std::size_t>(steps.finest() - coarsest) + 1, t, dt);
  leaf_updates_ = 0;
  counts_.steps.resize(std::max(counts_.steps.size(), static_cast<std::size_t>(steps.finest()) + 1));
  place_->start_levels(clock_, coarsest, !rule.begin, rule.at_time);
  const bool failed = !advance_levels(coarsest, ratios, rule);
  const solvers::Status status = merge_over_ranks(place_->status(), mesh_.communicator());
  if (failed || status.failed || rule.change) return status;
  const Timer timer(times_.halo);
  mesh_.fill_halos(t_next, context_.team);
  return status;
}

template <int D>
bool Step<D>::advance_levels(int coarsest, std::span<const int> ratios, const LocalStepRule& rule) {
  const bool is_staged = mesh_.layout().point_values, by_groups = is_staged || rule.change;
  const std::size_t finest = clock_.levels() - 1;
  std::vector<int> chosen(ratios.begin(), ratios.end());
  for (bool is_first = true; !clock_.is_done(); is_first = false) {
    const std::size_t first = clock_.first();
    if (!is_first && rule.begin) rule.begin(clock_);
    if (first < finest) {
      if (!is_first) chosen = choose(coarsest, rule);
      if (chosen.empty()) return false;
      clock_.begin_finer(chosen);
      counts_.large_ratios += std::ranges::count_if(chosen, [](int m) { return m > planned_ratio; });
    }
    for (std::size_t level = first; level <= finest; ++level) {
      ++counts_.steps[static_cast<std::size_t>(coarsest) + level];
      leaf_updates_ += rule.leaves[level];
    }
    place_->start_tick();
    for (LevelGroup group{first, finest, is_first && !by_groups}; group.first <= finest;
         group.first = group.last + 1) {
      if (by_groups) group.last = clock_.last_with_step_of(group.first);
      if (rule.change) {
        const Timer timer(times_.update);
        rule.change(clock_, group.first);
      }
      if (is_staged) {
        const int first_level = coarsest + static_cast<int>(group.first);
        const int last_level = coarsest + static_cast<int>(group.last);
        counts_.shadow_updates += mesh_.level_exchange(first_level, last_level).shadows();
      }
      for (int stage = 0; stage < solver_.traits().stages; ++stage) place_->advance(group, stage);
    }
    place_->finish_tick();
    const std::size_t ended = clock_.end_tick();
    if (is_staged) continue;
    for (std::size_t level = finest; level-- > ended;) place_->reflux(level, clock_[level + 1].ratio);
  }
  return true;
}

template <int D>
std::vector<int> Step<D>::choose(int coarsest, const LocalStepRule& rule) {
  StatusReduction reduction(place_->due(), mesh_.communicator());
  place_->wait_for(reduction.messages());
  const solvers::Status status = reduction.finish();
  if (status.failed) return {};
  const std::size_t first = clock_.first();
  std::vector<double> limits;
  for (std::size_t level = first + 1; level < clock_.levels(); ++level)
    limits.push_back(
        rule.limit(level, status.crossing[static_cast<std::size_t>(coarsest) + level], clock_[first].t));
  return choose_ratios(clock_[first].dt, limits, rule.leaves.subspan(first + 1), rule.subcycled);
}

template <int D>
solvers::Status Step<D>::inspect(const LeafChange& first) {
  mesh_.residence().prepare_step(context_.team);
  const bool at_once = mesh_.residence().is_on_device_of_any_rank();
  if (at_once && first.all) first.all();
  return merge_over_ranks(place_->inspect(at_once ? LeafWork() : first.one), mesh_.communicator());
}

template <int D>
solvers::Status Step<D>::enforce_floors() {
  mesh_.residence().prepare_step(context_.team);
  return merge_over_ranks(place_->enforce_floors(), mesh_.communicator());
}

template class Step<2>;
template class Step<3>;

}  // namespace meander::tasks
