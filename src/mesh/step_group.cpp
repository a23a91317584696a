// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_group.hpp"

#include "parallel/message_tags.hpp"

namespace meander::mesh {

template <int D>
StepGroup<D>::StepGroup(const TreePatches<D>& tree, int first, const DenseStates<D>* coarser,
                        const solvers::Solver& solver, const solvers::PatchLayout& layout,
                        const BoundaryFill<D>& boundaries, gpu::Resource& memory)
    : tree_(tree), exchange_(solver, layout, boundaries, memory, *std::pmr::new_delete_resource()) {
  const LocalView<D>& view = *tree.view;
  const auto kind = [&](std::size_t i) { return tree.kinds.empty() ? CellKind::leaf : tree.kinds[i]; };
  std::vector<char> filled(view.size());
  for (std::size_t i = 0; i < view.size(); ++i)
    filled[i] = tree.level(i) >= first && kind(i) != CellKind::refined ? 1 : 0;
  std::vector<solvers::PatchTask> read(tree.patches.begin(), tree.patches.end());
  for (std::size_t i = 0; i < view.own(); ++i) {
    const std::int32_t leaf = tree.leaf_of_mesh[i];
    if (coarser != nullptr && tree.level(i) == first - 1) read[i].q = coarser->slot(leaf);
    if (filled[i] == 0) continue;
    members_.push_back({static_cast<std::int32_t>(i), leaf, tree.level(i)});
    if (leaf < 0) ++shadows_;
  }
  shadows_ = tree.tree->communicator().sum(shadows_);
  // Leaves without finer neighbours do not change after their update: there is no flux correction.
  exchange_.plan(*tree.tree, view, {solver.traits().halo_shape, false, filled}, read,
                 parallel::tag_of_level_halos, "halos of levels");
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
  // The copies of a leaf of another rank, from which halos are prolonged here, take parts of their own halos from leaves of
  // this rank once the messages have arrived.
  for (std::size_t ghost = 0; ghost < plan.ghost_patches().size(); ++ghost) {
    for (const HaloOp<D>& op : plan.ghost(ghost)) {
      if (op.kind == HaloOp<D>::Kind::copy) waits_[static_cast<std::size_t>(op.source)] = 1;
    }
  }
}

template class StepGroup<2>;
template class StepGroup<3>;

}  // namespace meander::mesh
