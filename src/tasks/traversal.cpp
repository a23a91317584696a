// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/traversal.hpp"

#include <utility>

#include "base/timer.hpp"
#include "tasks/device_work.hpp"
#include "tasks/host_work.hpp"

namespace meander::tasks {

template <int D>
Traversal<D>::Traversal(mesh::PatchMesh<D>& mesh, const solvers::Solver& solver, ThreadTeam& team,
                        offload::Engine* engine, LeafObservers* observers)
    : context_{mesh, solver, team, messages_, observers != nullptr ? *observers : none_},
      mesh_(mesh),
      solver_(solver) {
  if (mesh.lives_on_device()) {
    work_ = std::make_unique<DeviceWork<D>>(context_);
    return;
  }
  auto work = std::make_unique<HostWork<D>>(context_, engine);
  enclaves_ = work->enclaves();
  work_ = std::move(work);
}

template <int D>
solvers::Status Traversal<D>::advance(double t, double dt, double t_next, Halos halos) {
  const solvers::Traits& traits = solver_.traits();
  const bool one_rank = mesh_.communicator().size() == 1;
  solvers::Status status;
  mesh_.prepare_step();
  mesh_.defer_halos(halos == Halos::deferred);
  for (int stage = 0; stage < traits.stages; ++stage) {
    const bool is_last = stage == traits.stages - 1;
    const double fraction = traits.time_after(stage);
    const double t_halo = fraction < 1 ? t + fraction * dt : t_next;
    {
      const Timer timer(times_.update);
      work_->update_border({stage, t, dt});
      if (traits.conservative) {
        work_->start_fluxes();
        if (mesh_.has_flux_messages()) messages_.begin();
        work_->update_during_fluxes();
      }
    }
    if (traits.conservative) {
      {
        const Timer timer(times_.waiting, times_.messages);
        work_->finish_fluxes();
        messages_.end();
      }
      correct(LeafGroup::border, dt);
    }
    {
      const Timer timer(times_.update);
      work_->start_halos();
      if (mesh_.has_messages()) messages_.begin();
      work_->update_rest();
    }
    if (traits.conservative) correct(LeafGroup::interior, dt);
    if (one_rank && is_last && !work_->fills_before_status()) {
      const Timer timer(times_.update);
      status = work_->status();
      if (status.failed) return status;
    }
    fill_halos(mesh::Arrival::local, t_halo);
    if (!mesh_.has_messages()) continue;
    {
      const Timer timer(times_.waiting, times_.messages);
      work_->finish_halos(t_halo);
      messages_.end();
    }
    fill_halos(mesh::Arrival::received, t_halo);
  }
  if (one_rank && !work_->fills_before_status()) return status;
  const Timer timer(times_.waiting);
  status = work_->status();
  const Timer of_messages(times_.messages);
  return merge_over_ranks(status, mesh_.communicator());
}

template <int D>
void Traversal<D>::correct(LeafGroup group, double dt) {
  const Timer timer(times_.flux_correction);
  work_->correct(group, dt);
}

template <int D>
void Traversal<D>::fill_halos(mesh::Arrival arrival, double t) {
  const Timer timer(times_.halo);
  work_->fill(arrival, t);
}

template <int D>
solvers::Status Traversal<D>::inspect() {
  mesh_.prepare_step();
  return merge_over_ranks(work_->inspect(), mesh_.communicator());
}

template <int D>
solvers::Status Traversal<D>::enforce_floors() {
  mesh_.prepare_step();
  return merge_over_ranks(work_->enforce_floors(), mesh_.communicator());
}

template class Traversal<2>;
template class Traversal<3>;

}  // namespace meander::tasks
