// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of a step on patches in host memory, as sweeps of a team of threads: every thread takes chunks of
// the Peano curve.

#include <memory>
#include <vector>

#include "tasks/enclave_sweep.hpp"
#include "tasks/patch_work.hpp"

namespace meander::tasks {

template <int D>
class HostWork final : public PatchWork<D> {
 public:
  // All outlive this. The interior is updated by an EnclaveSweep if there is an engine, by a CpuSweep
  // otherwise.
  HostWork(const SweepContext<D>& context, offload::Engine* engine);

  void update_border(const SweepCall& call) override;
  void start_fluxes() override;
  void update_during_fluxes() override { interior_->during_flux_exchange(); }
  void finish_fluxes() override { mesh_.finish_fluxes(); }
  void correct(LeafGroup group, double dt) override;
  void start_halos() override { mesh_.start_halos(context_.team); }
  void update_rest() override { interior_->finish(); }
  void fill(mesh::Arrival arrival, double t) override;
  void finish_halos(double t) override { mesh_.finish_halos(t, context_.team); }
  solvers::Status status() override;
  solvers::Status inspect() override;
  solvers::Status enforce_floors() override;

  // Null without engine.
  const EnclaveSweep<D>* enclaves() const { return enclaves_; }

 private:
  void prepare();

  const SweepContext<D> context_;
  mesh::PatchMesh<D>& mesh_;
  const solvers::Solver& solver_;
  std::unique_ptr<InteriorSweep<D>> interior_;
  const EnclaveSweep<D>* enclaves_ = nullptr;  // interior_, or null
  std::vector<solvers::PatchStatus> status_;
};

}  // namespace meander::tasks
