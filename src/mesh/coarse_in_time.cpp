// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/coarse_in_time.hpp"

#include <algorithm>

#include "base/thread_team.hpp"
#include "mesh/halo_reads.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {
namespace {

// The part of a box of a slot that lies in the interior.
template <int D>
solvers::Box<D> interior_of(solvers::Box<D> box, int p) {
  for (std::size_t a = 0; a < D; ++a) {
    const int end = std::min(box.lower[a] + box.extent[a], p);
    box.lower[a] = std::max(box.lower[a], 0);
    box.extent[a] = std::max(end - box.lower[a], 0);
  }
  return box;
}

// The volumes of a leaf that are read for the halos of all fine leaves in the refined cell in a direction.
template <int D>
solvers::Box<D> read_from(const Index<D>& direction, solvers::HaloShape shape,
                          const solvers::PatchLayout& layout) {
  Index<D> opposite, shift{};
  for (std::size_t a = 0; a < D; ++a) opposite[a] = -direction[a];
  HaloOp<D> halo;  // of the refined cell in fine volumes, 3 p along each axis
  set_region<D>(halo, shape, opposite, layout);
  for (std::size_t a = 0; a < D; ++a) {
    if (direction[a] == 0) halo.extent[a] = static_cast<std::int16_t>(3 * layout.p);
    if (direction[a] != 0) shift[a] = direction[a] > 0 ? 3 * layout.p : -layout.p;
  }
  return interior_of<D>(solvers::prolongation_support<D>(layout, halo.box(), shift), layout.p);
}

}  // namespace

template <int D>
CoarseInTime<D>::CoarseInTime(const TreePatches<D>& mesh, int level, const solvers::Solver& solver,
                              const solvers::PatchLayout& layout, gpu::Resource& memory, Residence residence)
    : solver_(solver),
      layout_(layout),
      patches_(mesh.patches),
      pool_(memory, static_cast<std::size_t>(layout.slot_size())) {
  // Stencils of point values extend into the neighbours of the coarse leaf, whatever the shape of halos.
  const auto shape = layout.point_values ? solvers::HaloShape::full : solver.traits().halo_shape;
  const std::size_t kept_of_volume =
      static_cast<std::size_t>(layout.unknowns) * (layout.point_values ? 2 : 1);
  for (std::size_t leaf = 0; leaf < mesh.view->own(); ++leaf) {
    if (mesh.level(leaf) != level) continue;
    Source source{static_cast<std::int32_t>(leaf), {}, doubles_, nullptr};
    for (int direction = 0; direction < children<D>; ++direction) {
      const Index<D> offset = offset_of<D>(direction);
      if (mesh::reads<D>(shape, offset) && mesh.view->neighbours().of(source.leaf, direction).is_refined())
        solvers::include<D>(source.box, read_from<D>(offset, shape, layout));
    }
    if (source.box.volumes() == 0) continue;
    doubles_ += source.box.volumes() * kept_of_volume;
    sources_.push_back(source);
  }
  const bool here = residence == Residence::host;
  mesh.tree->communicator().agree([&] { pool_.reserve(here ? sources_.size() : 0); });
  if (!here) return;
  for (Source& source : sources_) source.slot = pool_[pool_.acquire()];
  kept_.resize(doubles_);
}

template <int D>
auto CoarseInTime<D>::find(std::int32_t leaf) const -> const Source* {
  const auto found = std::ranges::lower_bound(sources_, leaf, {}, &Source::leaf);
  return found == sources_.end() || found->leaf != leaf ? nullptr : &*found;
}

template <int D>
bool CoarseInTime<D>::provides(std::int32_t leaf, const solvers::Box<D>& box) const {
  const solvers::Box<D> needed = interior_of<D>(box, layout_.p);
  if (needed.volumes() == 0) return true;
  const Source* const source = find(leaf);
  if (source == nullptr) return false;
  solvers::Box<D> both = source->box;
  solvers::include<D>(both, needed);
  return both.volumes() == source->box.volumes();
}

template <int D>
void CoarseInTime<D>::keep_state(std::int32_t leaf) {
  const Source* const source = find(leaf);
  if (source == nullptr) return;
  solvers::pack<D>(layout_, patch(leaf).q, source->box, kept_.data() + source->kept);
}

template <int D>
void CoarseInTime<D>::keep_rates(std::int32_t leaf, int stage) {
  const Source* const source = find(leaf);
  if (source == nullptr) return;
  solvers::keep_rates<D>(layout_, patch(leaf), stage, source->box, kept_.data() + source->kept);
}

template <int D>
void CoarseInTime<D>::evaluate(const solvers::ShortStage& at, ThreadTeam& team) const {
  const auto* const constraints = dynamic_cast<const solvers::LocalStepSolver*>(&solver_);
  team.for_chunks(sources_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const Source& source : sources().subspan(begin, end - begin)) {
      if (!layout_.point_values) {
        interpolate(source, static_cast<double>(at.substep) / at.ratio);
        continue;
      }
      solvers::dense_output<D>(layout_, patch(source.leaf), source.box, kept_.data() + source.kept, at,
                               source.slot);
      constraints->enforce(layout_, source.slot, solvers::in_three_dimensions(source.box));
    }
  });
}

template <int D>
void CoarseInTime<D>::interpolate(const Source& source, double theta) const {
  const double* old = kept_.data() + source.kept;
  const double* const now = patch(source.leaf).q;
  for (int u = 0; u < layout_.unknowns; ++u) {
    solvers::for_rows<D>(source.box, [&](const Index<D>& i) {
      const std::ptrdiff_t row = layout_.at(u, i);
      for (int x = 0; x < source.box.extent[0]; ++x)
        source.slot[row + x] = old[x] + theta * (now[row + x] - old[x]);
      old += source.box.extent[0];
    });
  }
}

template class CoarseInTime<2>;
template class CoarseInTime<3>;

}  // namespace meander::mesh
