// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The spacetree with a patch in each leaf: storage, halos, flux correction and regridding of one rank.

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_plan.hpp"
#include "mesh/patch_pool.hpp"
#include "mesh/spacetree.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
class PatchMesh {
 public:
  // All leaves on `level`; the state is undefined. `solver` and `memory` outlive the mesh. `given` is needed
  // if a boundary is of kind given. Throws gpu::OutOfMemory.
  PatchMesh(const Domain<D>& domain, int level, const solvers::Solver& solver, int patch_size,
            const Boundaries<D>& boundaries, GivenBoundary given, gpu::Resource& memory);

  const Spacetree<D>& tree() const { return tree_; }
  const Neighbours<D>& neighbours() const { return neighbours_; }
  const solvers::PatchLayout& layout() const { return layout_; }
  std::size_t size() const { return tree_.size(); }
  std::span<const Cell<D>> cells() const { return neighbours_.cells(); }
  std::span<const solvers::PatchTask> patches() const { return patches_; }
  std::span<const int> levels() const { return levels_; }

  // Fills the halo of one leaf at time t from the interiors of its neighbours and the boundary conditions.
  // Calls for different leaves may run at once; no interior may change meanwhile.
  void fill_halo(std::size_t leaf, double t) const;

  // The same in two parts, for a thread that updates the leaves of `chunk` in order. Right after `leaf` has
  // been updated: exchanges halos, both ways, with those of its neighbours that the thread has updated before
  // and that no flux correction will change.
  void exchange_updated(std::size_t leaf, const Chunk& chunk) const;
  // Once all leaves are updated and corrected: what exchange_updated() left out for a leaf of `chunk`.
  void finish_halo(std::size_t leaf, const Chunk& chunk, double t) const;

  const FluxCorrection<D>& flux_correction() const { return flux_correction_; }

  // Refines, coarsens and balances by one level (see Spacetree::adapted) and moves the state: prolonged or
  // restricted conservatively, bitwise unchanged elsewhere. Halos are stale afterwards. False if nothing
  // changed.
  bool adapt(std::span<const Adapt> adapt, int min_level, int max_level, ThreadTeam& team);

  // Bytes of patch storage, and of the registers for fluxes and restrictions.
  std::size_t state_bytes() const { return pool_.capacity() * pool_.slot_doubles() * sizeof(double); }
  std::size_t register_bytes() const { return flux_correction_.bytes() + parts_.size() * sizeof(double); }

 private:
  void apply(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const;
  void apply_boundary(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const;
  void move_state(const Spacetree<D>& next, ThreadTeam& team);
  void rebuild();

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  Boundaries<D> boundaries_;
  GivenBoundary given_;
  std::vector<double> reflection_[D];
  Spacetree<D> tree_;
  Neighbours<D> neighbours_;
  PatchPool pool_;
  std::vector<int> slots_;  // of each leaf
  std::vector<int> levels_;
  HaloPlan<D> plan_;
  FluxCorrection<D> flux_correction_;
  mutable std::vector<double> parts_;  // of restrictions, between the two steps of a halo exchange
  std::vector<solvers::PatchTask> patches_;
};

}  // namespace meander::mesh
