// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/staged_steps.hpp"

#include <algorithm>
#include <numeric>

namespace meander::mesh {

template <int D>
StagedSteps<D>::StagedSteps(const DistributedTree<D>& tree, const LocalView<D>& view,
                            const solvers::Solver& solver, const solvers::PatchLayout& layout,
                            const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                            std::span<const solvers::PatchTask> patches, Residence residence)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      memory_(memory),
      leaf_of_mesh_(view.own()),
      mesh_{&tree, &view, patches, leaf_of_mesh_, {}} {
  std::iota(leaf_of_mesh_.begin(), leaf_of_mesh_.end(), 0);
  std::int64_t least = Key<D>::max_level, most = 0;
  for (const Cell<D>& cell : view.neighbours().cells().first(view.own())) {
    least = std::min<std::int64_t>(least, cell.level);
    most = std::max<std::int64_t>(most, cell.level);
  }
  coarsest_ = static_cast<int>(tree.communicator().min(least));
  finest_ = static_cast<int>(tree.communicator().max(most));
  cuts_.resize(index(finest_));
  dense_.resize(index(finest_));
  TreePatches<D> finer = mesh_;
  for (int level = finest_; level-- > coarsest_;) {
    cuts_[index(level)] =
        std::make_unique<CutTree<D>>(finer, level, solver.traits(), layout, boundaries, memory, residence);
    finer = cuts_[index(level)]->patches();
    dense_[index(level)] =
        std::make_unique<DenseStates<D>>(tree, view, layout, memory, patches, level, residence);
  }
}

template <int D>
void StagedSteps<D>::restrict_from(int level, ThreadTeam& team, const Wait& wait) {
  for (int of = finest_; of-- > level;) {
    CutTree<D>& cut = *cuts_[index(of)];
    cut.start_restriction(team);
    wait(cut.messages());
    cut.finish_restriction(team);
  }
}

template <int D>
StepGroup<D>& StagedSteps<D>::group(int first, int last) {
  auto& group = groups_[{first, last}];
  if (!group) {
    group =
        std::make_unique<StepGroup<D>>(tree(last), first, first == coarsest_ ? nullptr : &dense(first - 1),
                                       solver_, layout_, boundaries_, memory_);
  }
  return *group;
}

template <int D>
void StagedSteps<D>::make_groups(int subcycled) {
  for (int first = coarsest_, last = std::max(coarsest_, finest_ - subcycled); last <= finest_;
       first = ++last)
    group(first, last);
}

template <int D>
std::size_t StagedSteps<D>::bytes() const {
  std::size_t sum = 0;
  for (const auto& cut : cuts_) sum += cut->bytes();
  for (const auto& dense : dense_) sum += dense->bytes();
  for (const auto& [levels, group] : groups_) sum += group->bytes();
  return sum;
}

template class StagedSteps<2>;
template class StagedSteps<3>;

}  // namespace meander::mesh
