// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravity of the gas itself: Laplacian(phi) = 4 pi G (rho - mean of rho), and the acceleration g = -grad phi by the mean of the
// two face gradients along each axis. Along axes without mirrors the mean acceleration, the sum of rho g over that of rho, is
// subtracted: it is an error of the scheme where levels meet, and momentum is conserved without it.
//
// If faces are open the gas is alone: Laplacian(phi) = 4 pi G rho, with the potential on these faces from the multipoles of the
// gas, and of its mirror images, about their centre of mass.
//
// In supercomoving variables (Martel & Shapiro 1998, MNRAS 297, 467) phi = a psi with the scale factor a = t^-2 and
// Laplacian(psi) = 6 (rho - mean of rho): the carried rows are then those of psi.
//
// A solution starts from the potential of the last one, continued linearly in time with its rate: both are carried rows of the
// leaves. On a mesh that does not change one cycle a step is then enough.
//
// The energy of gas and potential is conserved to rounding between regrids if that is asked for (energy_budget.hpp).

#include <algorithm>
#include <array>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>

#include "base/exact_sum.hpp"
#include "physics/euler/fields/energy_budget.hpp"
#include "physics/euler/gravity.hpp"
#include "simulation/step_field.hpp"
#include "solvers/multipoles.hpp"
#include "tasks/poisson_multigrid.hpp"

namespace meander::euler {

// Sums or maxima of the volumes of a patch, one for each place in a row, which lets loops over rows be vectorised.
struct Lanes {
  double at[solvers::longest_row] = {};
  double sum() const { return std::accumulate(std::begin(at), std::end(at), 0.0); }
  double largest() const { return *std::ranges::max_element(at); }
};

struct SelfGravityParameters {
  bool is_on = false;
  bool is_supercomoving = false;
  bool conserves_energy = false;
  double constant = 1;      // G
  double tolerance = 1e-3;  // of the largest residual, over the largest source
  int multipole_order = solvers::max_multipole_order;
  double images =
      1;  // volume of the domain with its mirror images (simulation/mirrors.hpp), over that of the domain
  double factor() const { return is_supercomoving ? 6 : 4 * std::numbers::pi * constant; }
};

template <int D>
class SelfGravity final : public simulation::StepField<D> {
 public:
  using Boundaries = typename tasks::PoissonMultigrid<D>::Boundaries;

  // boundaries: by face; `value`, an open face, with periodic axes or between two mirrors has no meaning.
  SelfGravity(const SelfGravityParameters& parameters, const Boundaries& boundaries);

  void begin(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) override;
  void solve(mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) override;
  void resume(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) override;
  // Momentum and energy, and in the second half the carried rows; the thermal energy changes only by what closes the budget.
  using Half = typename simulation::StepField<D>::Half;
  void act(mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt, Half half) override;
  void solve_within(mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team) override;
  void solve_after(mesh::PatchMesh<D>& mesh, double t, double dt, std::span<const double> ended,
                   ThreadTeam& team) override;
  // What the mean acceleration of all local steps in one of the coarsest level has added to the momentum is taken back in the
  // last of them, by the same change of velocity everywhere.
  void act_within(mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, bool starts) override;
  void act_after(mesh::PatchMesh<D>& mesh, std::size_t leaf, double ended) override;
  void act_on_copy(const mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, double* slot,
                   const solvers::Box<3>& box) const override;
  double step_limit(int level) const override { return step_limits_[static_cast<std::size_t>(level)]; }
  double step_limit() const override { return *std::ranges::min_element(step_limits_); }
  // The acceleration along axis n.
  double number_beside(int n, std::size_t leaf, std::ptrdiff_t volume) const override {
    return acceleration_[leaf * static_cast<std::size_t>(D * volumes_) +
                         static_cast<std::size_t>(n * volumes_ + volume)] -
           mean_[static_cast<std::size_t>(n)];
  }
  std::size_t bytes() const override {
    return (solver_ ? solver_->bytes() : 0) +
           (acceleration_.size() + largest_.size() + work_.size() + given_.size()) * sizeof(double);
  }
  // potential_energy: integral of rho phi / 2, of an approximate phi plus the integral of phi times its residual, over 8 pi G:
  // errors of phi then enter by their square. mean_acceleration: the length of what was subtracted. energy_factor,
  // regrid_energy, expansion_energy: see energy_budget.hpp.
  std::vector<simulation::Measure> measures() const override;
  void save(io::CheckpointState& state) const override { budget_.save(state); }
  void restore(const io::CheckpointState& state) override { budget_.restore(state); }

 private:
  static double* carried(const mesh::PatchMesh<D>& mesh, std::size_t leaf, int row);
  // Makes the solver one of this mesh.
  void follow(const mesh::PatchMesh<D>& mesh);
  // The steps that have ended: one of all levels, or in local steps the last of each level of the tree. dt: that of the
  // coarsest, or 0 if there was none.
  struct Ended {
    double dt = 0;
    std::span<const double> by_level = {};
    bool is_local() const { return !by_level.empty(); }
    double of(int level) const { return is_local() ? by_level[static_cast<std::size_t>(level)] : dt; }
  };
  // Sets the mean density and what the solution is measured by. Returns the residual that is small enough.
  double measure_density(const mesh::PatchMesh<D>& mesh, ThreadTeam& team);
  // Sets the source, and the potential to that of the carried rows a time dt later.
  void start(const mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team);
  // Sets the source of levels from `first` on, and continues the potential of these and of the next coarser one to time t by
  // the rate of the last step of the coarsest level: with rates of their own steps, errors of large extent, which cycles of few
  // levels leave, would grow.
  void start_levels(const mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team);
  void set_source(const mesh::PatchMesh<D>& mesh, std::size_t leaf);
  // Sets the carried rows of a leaf from the solution: of a step in its second half, while the leaf is in cache. dt: of the
  // coarsest level's step.
  void keep(const mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt);
  // Sets the potential on open faces.
  void open(const mesh::PatchMesh<D>& mesh, ThreadTeam& team);
  // What the solution is of.
  enum class Of : std::uint8_t { initial_data, step, regrid };
  void solve(mesh::PatchMesh<D>& mesh, double t, const Ended& ended, Of of, ThreadTeam& team);
  // Sets the acceleration at time t from the potential, its residual, and the terms of the budget for a step, if that is one.
  void differentiate(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended, ThreadTeam& team);
  void find_step_limits(const mesh::PatchMesh<D>& mesh, double t);
  // Integrals over the domain. energy: of phi (S + r), r the residual; work, of both halves of a step, before the mean acceleration
  // is subtracted; momentum, before the second half; over open faces, of the flow of mass, of that times phi, of phi and of 1;
  // after local steps impulse, of the last halves of all levels, and given, what kicks before have given.
  enum Integral : int {
    force = 0,
    mass = D,
    energy,
    work,
    shares,
    face_flow,
    face_energy,
    face_potential,
    face_area,
    momentum,
    global_count = momentum + D,
    impulse = global_count,
    given = impulse + D,
    local_count = given + D
  };
  using Sums = std::array<ExactSum, local_count>;
  // Sets the acceleration of levels from `first` on and the largest residual there. Returns integrals over this rank's leaves of
  // these levels.
  Sums differentiate_levels(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended, int first,
                            ThreadTeam& team);
  // The part of a leaf, whose acceleration holds differences of the potential before.
  void add_leaf(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Ended& ended, double strength,
                const double* laplacian, Sums& sums, double& residual);
  void add_face(const mesh::PatchMesh<D>& mesh, std::size_t leaf, int face, Lanes* of_leaf) const;
  // Of the row of volumes from number v of a leaf on, before the second half of a step: the work of both halves, before the mean
  // acceleration is subtracted, and what the correction is a share of. rho: its densities; the other unknowns follow.
  void find_work(const double* rho, std::ptrdiff_t unknown, std::size_t leaf, std::ptrdiff_t v, double dt,
                 double* done, double* share) const;
  // A kick for `time` by the acceleration less `mean`.
  enum class Work : std::uint8_t {
    begins,     // of a step: is kept
    continues,  // is added to that
    ends        // is corrected, so that energy is conserved
  };
  void kick(mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, const Point<D>& mean, Work work,
            double* given_momentum = nullptr);
  auto before() const {
    using Before = typename tasks::PoissonMultigrid<D>::Before;
    return scale_ > 0 ? Before::cycle : Before::differentiate;
  }
  // Of the field of the potential.
  double strength_at(double t) const { return parameters_.is_supercomoving ? scale_factor(t) : 1; }
  bool has(int axis, solvers::EllipticBoundary boundary) const {
    return boundaries_[static_cast<std::size_t>(2 * axis)] == boundary ||
           boundaries_[static_cast<std::size_t>(2 * axis + 1)] == boundary;
  }
  double* acceleration_of(std::size_t leaf) {
    return acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
  }
  double* work_of(std::size_t leaf) { return work_.data() + leaf * static_cast<std::size_t>(volumes_); }
  double* given_to(std::size_t leaf) { return given_.data() + leaf * std::size_t{D}; }

  SelfGravityParameters parameters_;
  Boundaries boundaries_;
  std::uint64_t revision_ = 0;  // of the mesh of the solver
  std::unique_ptr<tasks::PoissonMultigrid<D>> solver_;
  std::ptrdiff_t volumes_ = 0;        // of a leaf
  std::vector<double> acceleration_;  // [leaf][axis][volume], before the mean is subtracted
  std::vector<double> largest_;       // length of it, by leaf
  Point<D> mean_{};
  std::vector<double> given_;  // [leaf][axis], momentum in this step of the coarsest level by local steps
  Point<D> shift_{};           // of velocity, which takes back what all kicks of such a step have given
  double step_length_ = 0;     // of the last one
  std::vector<double> time_of_potential_;  // in the solver, by level of the tree
  std::vector<double> work_;  // [leaf][volume], in the first half of a step, if energy is conserved
  EnergyBudget budget_;
  double mass_ = 0, mass_before_ = 0;                      // now, and at the last solution
  double mean_density_ = 0;                                // that which has no gravity
  double work_done_ = 0, shares_ = 0, through_faces_ = 0;  // energy that mass brings
  // Of a source in each volume of a patch about the patch's middle, with volumes of width 1: [volume][moment]; empty without
  // open faces.
  std::vector<solvers::Multipoles<D>> multipoles_;
  std::vector<double> step_limits_;  // by level of the tree
  double energy_ = 0, mean_acceleration_ = 0;
  double residual_ = 0, scale_ = 0;  // largest residual and source
  int cycles_ = 0;
};

}  // namespace meander::euler
