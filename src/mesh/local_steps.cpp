// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_steps.hpp"

#include <algorithm>

#include "parallel/message_tags.hpp"

namespace meander::mesh {

template <int D>
LocalSteps<D>::LocalSteps(const DistributedTree<D>& tree, const LocalView<D>& view,
                          const solvers::Solver& solver, const solvers::PatchLayout& layout,
                          const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                          std::span<const solvers::PatchTask> patches)
    : patches_(patches.begin(), patches.end()) {
  const auto own = view.neighbours().cells().first(view.own());
  std::int64_t least = Key<D>::max_level, most = 0;
  for (const Cell<D>& cell : own) {
    least = std::min<std::int64_t>(least, cell.level);
    most = std::max<std::int64_t>(most, cell.level);
  }
  coarsest_ = static_cast<int>(tree.communicator().min(least));
  finest_ = static_cast<int>(tree.communicator().max(most));
  leaves_.resize(index(finest_) + 1);
  for (std::size_t leaf = 0; leaf < own.size(); ++leaf) {
    for (int level = coarsest_; level <= own[leaf].level; ++level)
      leaves_[index(level)].push_back(static_cast<std::int32_t>(leaf));
  }
  for (solvers::PatchTask& patch : patches_) std::fill(std::begin(patch.flux), std::end(patch.flux), nullptr);
  for (int level = coarsest_; level < finest_; ++level) {
    FluxCorrection<D>& fluxes = fluxes_.emplace_back(view, layout, level);
    fluxes.connect(tree.communicator(), parallel::tag_of_level_fluxes, "fluxes of a level");
    fluxes.attach(patches_);
    halos_.push_back(
        std::make_unique<LevelHalos<D>>(tree, view, solver, layout, boundaries, memory, patches_, level + 1));
  }
}

template <int D>
std::size_t LocalSteps<D>::bytes() const {
  std::size_t sum = 0;
  for (const auto& halos : halos_) sum += halos->bytes();
  for (const auto& fluxes : fluxes_) sum += fluxes.bytes();
  return sum;
}

template class LocalSteps<2>;
template class LocalSteps<3>;

}  // namespace meander::mesh
