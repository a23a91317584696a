// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/rank_costs.hpp"

#include <set>
#include <utility>

#include "base/process.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_plan.hpp"
#include "mesh/local_view.hpp"

namespace meander::mesh {
namespace {

// CPU time of this thread, which other programs on the machine do not prolong.
class Clock {
 public:
  // Seconds since the last call or the construction.
  double lap() {
    const double now = thread_processor_seconds();
    return now - std::exchange(last_, now);
  }

 private:
  double last_ = thread_processor_seconds();
};

struct Sent {
  std::int64_t messages = 0, bytes = 0;
};

// NeighbourMessages sends no empty messages.
Sent sent(std::span<const parallel::NeighbourMessages::Peer> peers, std::set<int>& neighbours) {
  Sent sum;
  for (const auto& peer : peers) {
    sum.messages += peer.send > 0;
    sum.bytes += static_cast<std::int64_t>(peer.send * sizeof(double));
    if (peer.send > 0 || peer.receive > 0) neighbours.insert(peer.rank);
  }
  return sum;
}

std::int64_t received_bytes(std::span<const parallel::NeighbourMessages::Peer> peers) {
  std::int64_t sum = 0;
  for (const auto& peer : peers) sum += static_cast<std::int64_t>(peer.receive * sizeof(double));
  return sum;
}

}  // namespace

template <int D>
RankCosts rank_costs(const DistributedTree<D>& tree, const solvers::Traits& traits, int patch_size) {
  const solvers::PatchLayout layout = traits.layout(patch_size);
  RankCosts costs;
  Clock clock;
  auto ghosts = GhostLayer<D>::of(tree);
  costs.ghost_seconds = clock.lap();
  const LocalView<D> view(tree, std::move(ghosts));
  costs.list_seconds = clock.lap();
  FluxCorrection<D> fluxes;
  if (traits.conservative) fluxes = FluxCorrection<D>(view, layout);
  const HaloPlan<D> plan(tree, view, layout, {traits.halo_shape, traits.conservative, {}});
  costs.plan_seconds = clock.lap();

  costs.leaves = static_cast<std::int64_t>(tree.size());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) costs.border_leaves += plan.is_border(leaf);
  costs.ghosts = static_cast<std::int64_t>(view.ghosts().leaves.size());
  costs.coarse_cells = static_cast<std::int64_t>(view.size()) - costs.leaves - costs.ghosts;
  costs.ghost_patches = static_cast<std::int64_t>(plan.ghost_patches().size());
  std::set<int> neighbours;
  const Sent of_halos = sent(plan.peers(), neighbours), of_fluxes = sent(fluxes.peers(), neighbours);
  costs.neighbours = static_cast<std::int64_t>(neighbours.size());
  costs.halo_messages = of_halos.messages;
  costs.halo_bytes = of_halos.bytes;
  costs.flux_messages = of_fluxes.messages;
  costs.flux_bytes = of_fluxes.bytes;

  const auto doubles = [](std::ptrdiff_t n) { return n * static_cast<std::ptrdiff_t>(sizeof(double)); };
  costs.patch_bytes =
      costs.leaves * doubles(layout.slot_size() + traits.stage_blocks * layout.stage_block_size()) +
      costs.ghost_patches * doubles(layout.slot_size());
  costs.list_bytes = static_cast<std::int64_t>(view.bytes() + plan.bytes() + fluxes.plan_bytes() +
                                               tree.size() * sizeof(Key<D>));
  costs.buffer_bytes =
      static_cast<std::int64_t>(fluxes.register_bytes() + plan.part_doubles() * sizeof(double)) +
      costs.bytes() + received_bytes(plan.peers()) + received_bytes(fluxes.peers());
  costs.table_bytes =
      static_cast<std::int64_t>(tree.partition().bytes() + (tree.is_placed() ? tree.cuts()->bytes() : 0));
  return costs;
}

template RankCosts rank_costs<2>(const DistributedTree<2>&, const solvers::Traits&, int);
template RankCosts rank_costs<3>(const DistributedTree<3>&, const solvers::Traits&, int);

}  // namespace meander::mesh
