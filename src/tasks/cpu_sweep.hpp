// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Updates of leaves on the threads of the rank, along the Peano curve.

#include "tasks/interior_sweep.hpp"

namespace meander::tasks {

// Updates the leaves of a pass and exchanges halos as far as the update order of `sweep` permits.
template <int D>
void update_leaves(const SweepContext<D>& context, const InteriorSweep<D>& sweep, const SweepCall& call,
                   const Chunk& pass, const char* trace_name);

template <int D>
class CpuSweep final : public InteriorSweep<D> {
 public:
  explicit CpuSweep(const SweepContext<D>& context) : context_(context) {}

  void begin(const SweepCall& call) override {
    call_ = call;
    passes_ = passes_of(context_.mesh, context_.solver);
  }
  void during_flux_exchange() override {
    update_leaves(context_, *this, call_, passes_.during_fluxes, "traversal");
  }
  void finish() override { update_leaves(context_, *this, call_, passes_.during_halos, "traversal"); }
  mesh::UpdateOrder update_order(std::size_t, const Chunk& pass, const Chunk& chunk) const override {
    return {pass, chunk};
  }

 private:
  const SweepContext<D> context_;
  SweepCall call_;
  Passes passes_;
};

}  // namespace meander::tasks
