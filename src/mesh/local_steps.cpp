// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_steps.hpp"

#include <algorithm>
#include <numeric>

#include "parallel/message_tags.hpp"

namespace meander::mesh {

template <int D>
LocalSteps<D>::LocalSteps(const DistributedTree<D>& tree, const LocalView<D>& view,
                          const solvers::Solver& solver, const solvers::PatchLayout& layout,
                          const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                          std::span<const solvers::PatchTask> patches, Residence residence)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      memory_(memory),
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
    fluxes.connect(tree.communicator(), parallel::tag_of_level_fluxes, "fluxes of a level");
    fluxes.attach(patches_);
  }
  if (layout.point_values) {
    cuts_.resize(index(finest_));
    TreePatches<D> finer = mesh_;
    for (int level = finest_; level-- > coarsest_; finer = cut(level).patches())
      cuts_[index(level)] =
          std::make_unique<CutTree<D>>(finer, level, solver.traits(), layout, boundaries, memory, residence);
  } else {
    for (int level = coarsest_; level < finest_; ++level) exchange(level + 1);
  }
}

template <int D>
LevelExchange<D>& LocalSteps<D>::exchange(int first, int last) {
  const std::pair levels(first, last);
  if (const auto found = exchanges_.find(levels); found != exchanges_.end()) return *found->second;
  auto exchange =
      std::make_unique<LevelExchange<D>>(tree(last), first, first == coarsest_ ? nullptr : &coarse(first - 1),
                                         solver_, layout_, boundaries_, memory_);
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

template class LocalSteps<2>;
template class LocalSteps<3>;

}  // namespace meander::mesh
