// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/interior_sweep.hpp"

#include "base/process.hpp"

namespace meander::tasks {

template <int D>
void update_leaves(const SweepContext<D>& context, const InteriorSweep<D>& sweep, const SweepCall& call,
                   const Chunk& pass, const char* trace_name) {
  mesh::PatchMesh<D>& mesh = context.mesh;
  mesh::StepExchange<D>& exchange = mesh.exchange();
  const auto patches = mesh.patches();
  const bool polls = exchange.has_messages() && !exchange.is_along_curve(), measures = mesh.measures_cost();
  for_indices(context.team, pass, trace_name, [&](std::size_t index, const Chunk& chunk) {
    const auto leaf = static_cast<std::size_t>(exchange.order()[index]);
    const double start = measures ? thread_processor_seconds() : 0;
    {
      const OverlapScope overlap(polls ? &context.messages : nullptr);
      if (call.change) {
        (*call.change)(leaf);
      } else {
        exchange.halos().finish_deferred(leaf);
        context.solver.update(patches.subspan(leaf, 1), mesh.layout(), call.stage, call.t, call.dt,
                              call.status.subspan(leaf, 1));
        context.observe_updated(leaf, call.stage);
      }
    }
    exchange.exchange_updated(index, sweep.update_order(index, pass, chunk));
    if (measures) mesh.add_cost(leaf, (thread_processor_seconds() - start) / context.team.size());
    if (polls) context.poll_every_few_leaves(index, chunk);
  });
}

#define MEANDER_INSTANTIATE(D)                                                                   \
  template void update_leaves(const SweepContext<D>&, const InteriorSweep<D>&, const SweepCall&, \
                              const Chunk&, const char*);                                        \
  template class CpuSweep<D>;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::tasks
