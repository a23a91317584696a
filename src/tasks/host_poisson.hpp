// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The multigrid method on patches in host memory: operations of a level are those of solvers/poisson.hpp, patch by patch. Several
// half sweeps of relaxation are taken while patches are in cache.

#include <algorithm>
#include <map>
#include <vector>

#include "tasks/poisson_multigrid.hpp"

namespace meander::tasks {

template <int D>
class HostPoisson final : public PoissonMultigrid<D> {
  using Base = PoissonMultigrid<D>;

 public:
  using typename Base::Boundaries;

  // As of PoissonMultigrid.
  HostPoisson(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries);

  // Of a leaf: the differences of the potentials beside each volume along each axis, which give the mean of the gradients
  // through its two faces, and h^2 A u: [axis][volume] and [volume]. Concurrently.
  void differences(std::size_t leaf, double* first, double* second) const;

 private:
  using Base::boundaries_, Base::layout_, Base::levels_, Base::of_boundary_;
  using Base::of, Base::width_at;
  using Base::omega, Base::omega_of_refined, Base::sweeps, Base::sweeps_of_refined;
  using typename Base::Fill;
  using typename Base::Ghosts;
  using typename Base::Halo;
  using typename Base::Level;
  using typename Base::Patch;
  using typename Base::Relaxation;
  using typename Base::Residuals;

  void keep_source(std::size_t l, ThreadTeam& team) override;
  void relax(std::size_t l, Relaxation relaxation, ThreadTeam& team) override;
  void fill_faces(std::size_t l, ThreadTeam& team) override;
  void pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team) override;
  void restrict_potential(std::size_t l, ThreadTeam& team) override;
  void restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) override;
  void keep_potential(std::size_t l, ThreadTeam& team) override;
  void add_correction(std::size_t l, ThreadTeam& team) override;
  void add_mismatch(std::size_t l, ThreadTeam& team) override;
  std::vector<double> coarsest_residual(ThreadTeam& team) override;
  void add_to_coarsest(const std::vector<double>& correction, ThreadTeam& team) override;

  using Weights = solvers::poisson::RelaxationWeights<D>;
  struct BothWeights {
    Weights of_cycle, of_refined;
  };

  static bool touches_refined(const Patch& patch) {
    return !patch.is_refined && std::ranges::find(patch.beyond, mesh::Beyond::refined) != patch.beyond.end();
  }
  void fill_boundary(std::size_t l, const std::vector<Ghosts>& ghosts, const Patch& patch) const;
  solvers::poisson::GhostSlopes<D> slopes_of(const Patch& patch) const;
  // Fills the halos of a patch beyond faces of the domain and beside coarser leaves; those of all faces but what comes from far.
  void fill_ends(std::size_t l, const Patch& patch) const;
  void fill_halo(std::size_t l, const Patch& patch) const;
  void relax_once(std::size_t l, const Patch& patch, int half, Weights BothWeights::*weights) const;

  std::map<solvers::poisson::GhostSlopes<D>, BothWeights> weights_;
  std::vector<std::vector<const BothWeights*>> weights_of_;  // [level][patch]
};

}  // namespace meander::tasks
