// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_view.hpp"
#include "mesh/refine.hpp"
#include "phases.hpp"

namespace meander::bench {
namespace {

using namespace meander::mesh;
using meander::parallel::Communicator;

// Refines the children at corners with an even number of upper sides, as p4est's fractal does, and the middle
// one.
template <int D>
bool in_fractal(const Cell<D>& cell) {
  int upper = 0, middle = 0;
  for (const int x : cell.at) {
    upper += x % 3 == 2;
    middle += x % 3 == 1;
  }
  return middle == D || (middle == 0 && upper % 2 == 0);
}

}  // namespace

template <int D>
Sample meander_round(int depth, const Communicator& communicator) {
  static const std::vector<Point<D>> where = random_points<D>();
  const int ranks = communicator.size();
  Sample sample;
  const auto record = [&](Phase phase, const Timer& timer, std::int64_t items) {
    sample.seconds[phase] = timer.seconds();
    sample.items[phase] = static_cast<double>(items);
  };
  Domain<D> domain;
  domain.base_cells.fill(1);
  const auto start = DistributedTree<D>::uniform(domain, start_level, communicator);

  Timer refine_timer(communicator);
  const auto fine = start.refined_where(depth, in_fractal<D>);
  record(refine, refine_timer, fine.global_size());

  Timer coarsen_timer(communicator);
  const auto coarse = fine.coarsened_where([](const Cell<D>&) { return true; });
  record(coarsen, coarsen_timer, fine.global_size());

  const auto even = fine.repartitioned(even_cuts(fine.global_size(), ranks));
  Timer balance_timer(communicator);
  const auto balanced = even.balanced();
  record(balance, balance_timer, balanced.global_size());

  const std::int64_t leaves = balanced.global_size();
  const auto tree = balanced.repartitioned(even_cuts(leaves, ranks));
  if (ranks > 1) {
    const auto cuts = shifted_cuts(leaves, ranks, moved_share);
    Timer timer(communicator);
    const auto moved = tree.repartitioned(cuts);
    record(partition, timer, leaves);
  }

  Timer ghost_timer(communicator);
  auto layer = GhostLayer<D>::of(tree);
  if (ranks > 1) record(ghosts, ghost_timer, leaves);

  Timer neighbours_timer(communicator);
  const LocalView<D> view(tree, std::move(layer));
  record(neighbours, neighbours_timer, leaves);

  std::vector<std::int32_t> owners(where.size()), found(where.size());
  Timer points_timer(communicator);
  tree.find(where, owners, found);
  record(points, points_timer, static_cast<std::int64_t>(where.size()));
  return sample;
}

template Sample meander_round<2>(int, const Communicator&);
template Sample meander_round<3>(int, const Communicator&);

}  // namespace meander::bench
