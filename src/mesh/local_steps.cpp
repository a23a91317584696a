// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_steps.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"
#include "parallel/message_tags.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {

template <int D>
LocalSteps<D>::LocalSteps(const DistributedTree<D>& tree, const LocalView<D>& view,
                          const solvers::Solver& solver, const solvers::PatchLayout& layout,
                          const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                          std::pmr::memory_resource& message_memory,
                          std::span<const solvers::PatchTask> patches, Residence residence)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      memory_(memory),
      message_memory_(message_memory),
      patches_(patches.begin(), patches.end()),
      leaf_of_mesh_(view.own()),
      mesh_{&tree, &view, patches_, leaf_of_mesh_, {}} {
  std::iota(leaf_of_mesh_.begin(), leaf_of_mesh_.end(), 0);
  std::int64_t least = Key<D>::max_level, most = 0;
  for (const Cell<D>& cell : view.neighbours().cells().first(view.own())) {
    least = std::min<std::int64_t>(least, cell.level);
    most = std::max<std::int64_t>(most, cell.level);
  }
  coarsest_ = static_cast<int>(tree.communicator().min(least));
  finest_ = static_cast<int>(tree.communicator().max(most));
  for (solvers::PatchTask& patch : patches_) std::fill(std::begin(patch.flux), std::end(patch.flux), nullptr);
  for (int level = coarsest_; level < finest_; ++level) {
    coarse_.push_back(std::make_unique<CoarseInTime<D>>(mesh_, level, solver, layout, memory, residence));
    if (layout.point_values) continue;
    FluxCorrection<D>& fluxes = fluxes_.emplace_back(view, layout, level);
    fluxes.connect(tree.communicator(), parallel::tag_of_level_fluxes, "fluxes of a level", message_memory);
    if (residence == Residence::host) fluxes.attach(patches_);
  }
  if (layout.point_values) {
    cuts_.resize(index(finest_));
    TreePatches<D> finer = mesh_;
    for (int level = finest_; level-- > coarsest_; finer = cut(level).patches())
      cuts_[index(level)] = std::make_unique<CutTree<D>>(finer, level, solver.traits(), layout, boundaries,
                                                         memory, message_memory, residence);
  } else {
    // A field changes states before the halos of the coarsest level are filled, too.
    for (int first = coarsest_ + (layout.carried > 0 ? 0 : 1); first <= finest_; ++first) exchange(first);
  }
}

template <int D>
LevelExchange<D>& LocalSteps<D>::exchange(int first, int last) {
  const std::pair levels(first, last);
  if (const auto found = exchanges_.find(levels); found != exchanges_.end()) return *found->second;
  auto exchange =
      std::make_unique<LevelExchange<D>>(tree(last), first, first == coarsest_ ? nullptr : &coarse(first - 1),
                                         solver_, layout_, boundaries_, memory_, message_memory_);
  return *(exchanges_[levels] = std::move(exchange));
}

template <int D>
void LocalSteps<D>::make_exchanges(int subcycled) {
  if (!layout_.point_values) return;  // they are made
  for (int first = coarsest_, last = std::max(coarsest_, finest_ - subcycled); last <= finest_;
       first = ++last)
    exchange(first, last);
}

template <int D>
void LocalSteps<D>::restrict_from(int level, ThreadTeam& team, const Wait& wait) {
  for (int of = finest_; of-- > level;) {
    cut(of).start_restriction(team);
    wait(cut(of).messages());
    cut(of).finish_restriction(team);
  }
}

template <int D>
std::size_t LocalSteps<D>::bytes() const {
  std::size_t sum = 0;
  for (const auto& coarse : coarse_) sum += coarse->bytes();
  for (const auto& fluxes : fluxes_) sum += fluxes.bytes();
  for (const auto& cut : cuts_) sum += cut->bytes();
  for (const auto& [levels, exchange] : exchanges_) sum += exchange->bytes();
  return sum;
}

template <int D>
LevelExchange<D>::LevelExchange(const TreePatches<D>& tree, int first, const CoarseInTime<D>* coarser,
                                const solvers::Solver& solver, const solvers::PatchLayout& layout,
                                const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                                std::pmr::memory_resource& message_memory)
    : tree_(tree), exchange_(solver, layout, boundaries, memory, message_memory) {
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

template class LocalSteps<2>;
template class LocalSteps<3>;
template class LevelExchange<2>;
template class LevelExchange<3>;

}  // namespace meander::mesh
