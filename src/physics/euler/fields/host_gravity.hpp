// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Self-gravity of leaves in host memory. Planes are copied to one row without gaps, which is long enough for vectors.

#include <span>
#include <vector>

#include "mesh/patch_mesh.hpp"
#include "physics/euler/fields/leaf_gravity.hpp"
#include "solvers/multipoles.hpp"
#include "tasks/host_poisson.hpp"

namespace meander::euler {

template <int D>
class HostGravity final : public LeafGravity {
 public:
  // For the leaves of the mesh as they are now; mesh and solver outlive this. of_volume: multipoles of a unit source in each volume of a patch.
  HostGravity(mesh::PatchMesh<D>& mesh, const tasks::HostPoisson<D>& solver, bool conserves_energy,
              std::span<const solvers::Multipoles<D>> of_volume);

  void run(const char* name, const Work& work, ThreadTeam& team) override;
  std::span<const double> numbers(const char* name, const Work& work, int count, ThreadTeam& team) override;
  void kick_copies(int level, const Work& work, ThreadTeam& team) override;
  const double* acceleration(std::size_t leaf) const override {
    return acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
  }
  std::size_t bytes() const override {
    return (acceleration_.size() + work_.size() + given_.size() + numbers_.size()) * sizeof(double);
  }

  // Work on one leaf. Concurrently for different leaves.
  void kick(std::size_t leaf, const Work& work);
  void keep(std::size_t leaf, const Work& work);

 private:
  using Numbers = solvers::PotentialNumbers<D>;
  struct Lanes;  // of sums and maxima

  // Copies the first unknowns, density, momentum and energy, of a plane to rows without gaps, one after another. Returns the number
  // of its volumes.
  int load(std::size_t leaf, const solvers::Box<D>& plane, int unknowns, double* to) const;
  void start(std::size_t leaf, const Work& work);
  void find_sources(std::size_t leaf, double* numbers) const;
  void find_moments(std::size_t leaf, double* sums) const;
  void differentiate(std::size_t leaf, const Work& work, double* numbers);
  void add_face(std::size_t leaf, int face, Lanes* of_leaf) const;
  // Finds for the n volumes of a plane from number v of a leaf on, before the second half of a step, the work of both halves, before the mean
  // acceleration is subtracted, and what the correction is a share of. state: of load().
  void find_work(const double* state, int n, std::size_t leaf, std::ptrdiff_t v, double dt, double* done,
                 double* share) const;
  void kick_copy(std::size_t leaf, const Work& work, double* slot, const solvers::Box<D>& box) const;
  double time_of(std::size_t leaf, const Work& work) const { return work.times[mesh_.levels()[leaf]]; }
  double* q(std::size_t leaf) const { return mesh_.patches()[leaf].q; }
  double* carried(std::size_t leaf, int row) const {
    return q(leaf) + gas_.carried_begin() + row * gas_.unknown_stride();
  }

  mesh::PatchMesh<D>& mesh_;
  const tasks::HostPoisson<D>& solver_;
  const solvers::PatchLayout &gas_, &own_;  // of the mesh, and of the solver
  const std::ptrdiff_t volumes_;            // of a leaf
  const std::span<const solvers::Multipoles<D>> of_volume_;
  std::vector<double> acceleration_;  // [leaf][axis][volume], before the mean is subtracted
  std::vector<double> work_;          // [leaf][volume], in the first half of a step, if energy is conserved
  std::vector<double> given_;  // [leaf][axis], momentum in this step of the coarsest level by local steps
  std::vector<double> numbers_;
};

}  // namespace meander::euler
