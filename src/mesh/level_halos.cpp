// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/level_halos.hpp"

#include <algorithm>

#include "parallel/message_tags.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {
template <int D>
LevelHalos<D>::LevelHalos(const DistributedTree<D>& tree, const LocalView<D>& view,
                          const solvers::Solver& solver, const solvers::PatchLayout& layout,
                          const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                          std::span<const solvers::PatchTask> patches, int level)
    : layout_(layout),
      patches_(patches),
      interpolated_(memory, static_cast<std::size_t>(layout.slot_size())),
      exchange_(solver, layout, boundaries, memory, *std::pmr::new_delete_resource()) {
  const auto cells = view.neighbours().cells();
  std::vector<char> filled(view.size());
  for (std::size_t leaf = 0; leaf < view.size(); ++leaf) {
    filled[leaf] = cells[leaf].level >= level ? 1 : 0;
    if (leaf >= view.own() || cells[leaf].level != level - 1) continue;
    const auto own = static_cast<std::int32_t>(leaf);
    bool is_read = false;
    for (int direction = 0; direction < children<D> && !is_read; ++direction)
      is_read = view.neighbours().of(own, direction).is_refined();
    if (is_read) sources_.push_back({own});
  }
  tree.communicator().agree([&] { interpolated_.reserve(sources_.size()); });
  // The plan reads the interpolated states in place of the slots.
  std::vector<solvers::PatchTask> read(patches.begin(), patches.end());
  for (Source& source : sources_) {
    source.slot = interpolated_[interpolated_.acquire()];
    read[static_cast<std::size_t>(source.leaf)].q = source.slot;
  }
  exchange_.plan(tree, view, {solver.traits().halo_shape, false, filled}, read, parallel::tag_of_level_halos,
                 "halos of levels");

  const HaloPlan<D>& plan = exchange_.plan();
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    for (const HaloOp<D>& op : plan.late(leaf)) {
      if (op.kind != HaloOp<D>::Kind::prolong || !view.is_own(op.source)) continue;
      if (const Source* const source = find(op.source)) {
        solvers::include<D>(sources_[static_cast<std::size_t>(source - sources_.data())].box,
                            solvers::prolongation_support<D>(layout_, op.box(), op.shifts()));
      }
    }
  }
  std::size_t doubles = 0;
  for (Source& source : sources_) {
    for (const auto& item : plan.outgoing_volumes(static_cast<std::size_t>(source.leaf)))
      solvers::include<D>(source.box, item.box);
    source.kept = doubles;
    doubles += source.box.volumes() * static_cast<std::size_t>(layout_.unknowns);
  }
  kept_.resize(doubles);
}

template <int D>
auto LevelHalos<D>::find(std::int32_t leaf) const -> const Source* {
  const auto found = std::ranges::lower_bound(sources_, leaf, {}, &Source::leaf);
  return found == sources_.end() || found->leaf != leaf ? nullptr : &*found;
}

template <int D>
void LevelHalos<D>::keep(std::int32_t leaf) {
  const Source* source = find(leaf);
  if (source == nullptr || source->box.volumes() == 0) return;
  solvers::pack<D>(layout_, patches_[static_cast<std::size_t>(leaf)].q, source->box,
                   kept_.data() + source->kept);
}

template <int D>
void LevelHalos<D>::interpolate(const Source& source, double theta) const {
  const double* old = kept_.data() + source.kept;
  const double* const now = patches_[static_cast<std::size_t>(source.leaf)].q;
  if (source.box.volumes() == 0) return;
  for (int u = 0; u < layout_.unknowns; ++u) {
    solvers::for_rows<D>(source.box, [&](const Index<D>& i) {
      const std::ptrdiff_t row = layout_.at(u, i);
      for (int x = 0; x < source.box.extent[0]; ++x)
        source.slot[row + x] = old[x] + theta * (now[row + x] - old[x]);
      old += source.box.extent[0];
    });
  }
}

template <int D>
void LevelHalos<D>::start_fill(double theta, double t, ThreadTeam& team) {
  team.for_chunks(sources_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) interpolate(sources_[i], theta);
  });
  exchange_.start_fill(t, team);
}

template <int D>
void LevelHalos<D>::finish_fill(double t, ThreadTeam& team) {
  exchange_.finish_fill(t, team);
}

template class LevelHalos<2>;
template class LevelHalos<3>;

}  // namespace meander::mesh
