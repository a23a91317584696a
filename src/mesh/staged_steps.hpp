// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parts of a patch mesh that local time steps of several stages need in addition: shadows, dense states and
// groups of levels. They hold nothing that outlives a step of the coarsest level.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "mesh/step_group.hpp"

namespace meander::mesh {

template <int D>
class StagedSteps {
 public:
  // For point values with dense output; all outlive this. patches: of all leaves of the view. Throws as CutTree. Collective.
  StagedSteps(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::Solver& solver,
              const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
              std::span<const solvers::PatchTask> patches, Residence residence);

  // The coarsest and finest level with leaves on any rank.
  int coarsest() const { return coarsest_; }
  int finest() const { return finest_; }

  // Before the step of levels >= level, which stand at one time: sets the shadows of these levels and the
  // refined cells around them to the state of the finest leaves. wait(): called while the messages of a level are
  // under way, if it is not empty; may update leaves of coarser levels. Collective among neighbours.
  using Wait = std::function<void(parallel::NeighbourMessages& messages)>;
  void restrict_from(int level, ThreadTeam& team, const Wait& wait);

  // The group of levels first to last, made at its first use. Throws gpu::OutOfMemory (several ranks:
  // parallel::AgreedFailure). Collective.
  StepGroup<D>& group(int first, int last);

  // Makes the groups of a step in which the finest levels, `subcycled` in number, take steps of their own.
  void make_groups(int subcycled);

  // Of a level < finest().
  DenseStates<D>& dense(int level) { return *dense_[index(level)]; }

  // For work on devices: the trees cut at levels < finest(); the mesh cut at a level, or the mesh; all groups
  // made so far.
  CutTree<D>& cut(int level) { return *cuts_[index(level)]; }
  TreePatches<D> tree(int last) const { return last == finest_ ? mesh_ : cuts_[index(last)]->patches(); }
  const std::map<std::pair<int, int>, std::unique_ptr<StepGroup<D>>>& groups() const { return groups_; }

  std::size_t bytes() const;

 private:
  std::size_t index(int level) const { return static_cast<std::size_t>(level - coarsest_); }

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  const BoundaryFill<D>& boundaries_;
  gpu::Resource& memory_;
  int coarsest_ = 0, finest_ = 0;
  std::vector<std::int32_t> leaf_of_mesh_;  // 0, 1, 2, ...
  TreePatches<D> mesh_;
  std::vector<std::unique_ptr<CutTree<D>>> cuts_;  // by level
  std::vector<std::unique_ptr<DenseStates<D>>> dense_;
  std::map<std::pair<int, int>, std::unique_ptr<StepGroup<D>>> groups_;
};

}  // namespace meander::mesh
