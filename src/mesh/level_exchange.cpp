// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/level_exchange.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "parallel/message_tags.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {

template <int D>
LevelExchange<D>::LevelExchange(const TreePatches<D>& tree, int first, const CoarseInTime<D>* coarser,
                                const solvers::Solver& solver, const solvers::PatchLayout& layout,
                                const BoundaryFill<D>& boundaries, gpu::Resource& memory)
    : tree_(tree), exchange_(solver, layout, boundaries, memory, *std::pmr::new_delete_resource()) {
  const LocalView<D>& view = *tree.view;
  const auto kind = [&](std::size_t i) { return tree.kinds.empty() ? CellKind::leaf : tree.kinds[i]; };
  std::vector<char> filled(view.size());
  for (std::size_t i = 0; i < view.size(); ++i)
    filled[i] = tree.level(i) >= first && kind(i) != CellKind::refined ? 1 : 0;
  // The plan reads the states in time in place of the slots.
  std::vector<solvers::PatchTask> read(tree.patches.begin(), tree.patches.end());
  for (std::size_t i = 0; i < view.own(); ++i) {
    const std::int32_t leaf = tree.leaf_of_mesh[i];
    if (coarser != nullptr && tree.level(i) == first - 1) {
      const auto* const source = coarser->find(leaf);
      read[i].q = source == nullptr ? nullptr : source->slot;
    }
    if (filled[i] == 0) continue;
    members_.push_back({static_cast<std::int32_t>(i), leaf, tree.level(i)});
    if (leaf < 0) ++shadows_;
  }
  if (!tree.kinds.empty()) shadows_ = tree.tree->communicator().sum(shadows_);
  // For the plan, members do not change after their update: they are corrected at the end of their step,
  // before these halos are filled again.
  exchange_.plan(*tree.tree, view, {solver.traits().halo_shape, false, filled}, read,
                 parallel::tag_of_level_halos, "halos of levels");
  MEANDER_ASSERT(reads_in_time(layout, first, coarser));
  const HaloPlan<D>& plan = exchange_.plan();
  waits_.assign(view.own(), 0);
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf)
    waits_[leaf] = plan.arrival(leaf) == Arrival::received;
  for (const std::int32_t leaf : plan.second_waiting()) {
    waits_[static_cast<std::size_t>(leaf)] = 1;
    for (const HaloOp<D>& op : plan.second(static_cast<std::size_t>(leaf))) {
      if (op.kind == HaloOp<D>::Kind::prolong && view.is_own(op.source))
        waits_[static_cast<std::size_t>(op.source)] = 1;
    }
  }
  // The copies of a leaf of another rank, from which halos are prolonged here, take parts of their own halos
  // from leaves of this rank once the messages have arrived.
  for (std::size_t ghost = 0; ghost < plan.ghost_patches().size(); ++ghost) {
    for (const HaloOp<D>& op : plan.ghost(ghost)) {
      if (op.kind == HaloOp<D>::Kind::copy) waits_[static_cast<std::size_t>(op.source)] = 1;
    }
  }
}

template <int D>
bool LevelExchange<D>::reads_in_time(const solvers::PatchLayout& layout, int first,
                                     const CoarseInTime<D>* coarser) const {
  using Kind = typename HaloOp<D>::Kind;
  const HaloPlan<D>& plan = exchange_.plan();
  const auto has = [&](std::int32_t leaf, const solvers::Box<D>& box) {
    const auto i = static_cast<std::size_t>(leaf);
    return tree_.level(i) >= first || (coarser != nullptr && tree_.level(i) == first - 1 &&
                                       coarser->provides(tree_.leaf_of_mesh[i], box));
  };
  const auto has_source = [&](const HaloOp<D>& op) {
    if (op.kind == Kind::prolong && tree_.view->is_own(op.source))
      return has(op.source, solvers::prolongation_support<D>(layout, op.box(), op.shifts()));
    if (op.kind != Kind::copy) return true;
    solvers::Box<D> box = op.box();
    for (std::size_t a = 0; a < D; ++a) box.lower[a] += op.shift[a];
    return has(op.source, box);
  };
  for (std::size_t leaf = 0; leaf < tree_.view->own(); ++leaf) {
    for (const auto ops : {plan.early(leaf), plan.late(leaf), plan.second(leaf)}) {
      if (!std::ranges::all_of(ops, has_source)) return false;
    }
    for (const auto& item : plan.outgoing_volumes(leaf)) {
      if (!has(item.leaf, item.box)) return false;
    }
  }
  for (std::size_t ghost = 0; ghost < plan.ghost_patches().size(); ++ghost) {
    if (!std::ranges::all_of(plan.ghost(ghost), has_source)) return false;
  }
  return true;
}

template class LevelExchange<2>;
template class LevelExchange<3>;

}  // namespace meander::mesh
