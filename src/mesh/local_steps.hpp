// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parts of a patch mesh that local time steps need in addition: halos and flux registers by level.

#include <memory>
#include <span>
#include <vector>

#include "mesh/flux_correction.hpp"
#include "mesh/level_halos.hpp"

namespace meander::mesh {

template <int D>
class LocalSteps {
 public:
  // As LevelHalos. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  LocalSteps(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::Solver& solver,
             const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
             std::span<const solvers::PatchTask> patches);

  // The coarsest and finest level with leaves on any rank.
  int coarsest() const { return coarsest_; }
  int finest() const { return finest_; }
  // Own leaves of a level and of all finer ones, in curve order.
  std::span<const std::int32_t> leaves_from(int level) const { return leaves_[index(level)]; }

  // Own patches, whose faces between levels record fluxes for fluxes().
  std::span<const solvers::PatchTask> patches() const { return patches_; }
  // Of the leaves of a level > coarsest() and of all finer ones.
  LevelHalos<D>& halos(int level) { return *halos_[index(level) - 1]; }
  // Between the leaves of a level < finest() and the next finer ones.
  FluxCorrection<D>& fluxes(int coarse_level) { return fluxes_[index(coarse_level)]; }

  std::size_t bytes() const;

 private:
  std::size_t index(int level) const { return static_cast<std::size_t>(level - coarsest_); }

  int coarsest_ = 0, finest_ = 0;
  std::vector<std::vector<std::int32_t>> leaves_;
  std::vector<solvers::PatchTask> patches_;  // of all leaves of the view
  std::vector<std::unique_ptr<LevelHalos<D>>> halos_;
  std::vector<FluxCorrection<D>> fluxes_;
};

}  // namespace meander::mesh
