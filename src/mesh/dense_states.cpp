// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/dense_states.hpp"

#include <algorithm>

#include "base/thread_team.hpp"
#include "solvers/interpolation.hpp"

namespace meander::mesh {
namespace {

// Adds the volumes that are read for halos in the refined cell in a direction.
template <int D>
void include(solvers::Box<D>& box, const Index<D>& direction, const solvers::PatchLayout& layout) {
  const int depth = std::min(layout.p, solvers::ceil_third(layout.h) + solvers::interpolation_reach(layout));
  const bool is_first = box.volumes() == 0;
  for (std::size_t a = 0; a < D; ++a) {
    const int begin = direction[a] > 0 ? layout.p - depth : 0, end = direction[a] < 0 ? depth : layout.p;
    const int last = is_first ? end : std::max(end, box.lower[a] + box.extent[a]);
    box.lower[a] = is_first ? begin : std::min(begin, box.lower[a]);
    box.extent[a] = last - box.lower[a];
  }
}

}  // namespace

template <int D>
DenseStates<D>::DenseStates(const DistributedTree<D>& tree, const LocalView<D>& view,
                            const solvers::PatchLayout& layout, gpu::Resource& memory,
                            std::span<const solvers::PatchTask> patches, int level, Residence residence)
    : layout_(layout), patches_(patches), pool_(memory, static_cast<std::size_t>(layout.slot_size())) {
  const auto cells = view.neighbours().cells();
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    if (cells[leaf].level != level) continue;
    Source source{static_cast<std::int32_t>(leaf), {}, doubles_, nullptr};
    for (int direction = 0; direction < children<D>; ++direction) {
      if (view.neighbours().of(source.leaf, direction).is_refined())
        include<D>(source.box, offset_of<D>(direction), layout);
    }
    if (source.box.volumes() == 0) continue;
    doubles_ += 2 * source.box.volumes() * static_cast<std::size_t>(layout.unknowns);
    sources_.push_back(source);
  }
  const bool here = residence == Residence::host;
  tree.communicator().agree([&] { pool_.reserve(here ? sources_.size() : 0); });
  if (!here) return;
  for (Source& source : sources_) source.slot = pool_[pool_.acquire()];
  kept_.resize(doubles_);
}

template <int D>
auto DenseStates<D>::find(std::int32_t leaf) const -> const Source* {
  const auto found = std::ranges::lower_bound(sources_, leaf, {}, &Source::leaf);
  return found == sources_.end() || found->leaf != leaf ? nullptr : &*found;
}

template <int D>
double* DenseStates<D>::slot(std::int32_t leaf) const {
  const Source* const source = find(leaf);
  return source == nullptr ? nullptr : source->slot;
}

template <int D>
void DenseStates<D>::keep(std::int32_t leaf, int stage) {
  const Source* const source = find(leaf);
  if (source == nullptr) return;
  solvers::keep_rates<D>(layout_, patches_[static_cast<std::size_t>(leaf)], stage, source->box,
                         kept_.data() + source->kept);
}

template <int D>
void DenseStates<D>::combine(const solvers::LocalStepSolver& solver, const solvers::ShortStage& at,
                             ThreadTeam& team) const {
  team.for_chunks(sources_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Source& source = sources_[i];
      solvers::dense_output<D>(layout_, patches_[static_cast<std::size_t>(source.leaf)], source.box,
                               kept_.data() + source.kept, at, source.slot);
      solver.enforce(layout_, source.slot, in_three_dimensions(source.box));
    }
  });
}

template class DenseStates<2>;
template class DenseStates<3>;

}  // namespace meander::mesh
