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
#include <span>

#include "base/exact_sum.hpp"
#include "physics/euler/fields/device_gravity.hpp"
#include "physics/euler/fields/energy_budget.hpp"
#include "physics/euler/fields/host_gravity.hpp"
#include "physics/euler/gravity.hpp"
#include "simulation/step_field.hpp"
#include "solvers/multipoles.hpp"
#include "tasks/device_poisson.hpp"

namespace meander::euler {

struct SelfGravityParameters {
  bool is_on = false;
  bool is_supercomoving = false;
  bool conserves_energy = false;
  double constant = 1;      // G
  double tolerance = 1e-3;  // of the largest residual, over the largest source
  int multipole_order = solvers::max_multipole_order;
  solvers::EllipticBoundary boundaries[6] = {};  // by face
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
  tasks::LeafChange action(double dt, Half half, ThreadTeam& team) override;
  void solve_within(mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team) override;
  void solve_after(mesh::PatchMesh<D>& mesh, double t, double dt, std::span<const double> ended,
                   ThreadTeam& team) override;
  // What the mean acceleration of all local steps in one of the coarsest level has added to the momentum is taken back in the
  // last of them, by the same change of velocity everywhere.
  void act_within(int first, std::span<const double> times, double begun, bool starts,
                  ThreadTeam& team) override;
  void act_after(std::span<const double> ended, ThreadTeam& team) override;
  void act_on_copies(int level, double time, ThreadTeam& team) override;
  // By the multipoles of the gas: given states lie beyond open faces.
  void act_beyond(const double* x, double dx, double* q) const override;
  double step_limit(int level) const override { return step_limits_[static_cast<std::size_t>(level)]; }
  double step_limit() const override { return *std::ranges::min_element(step_limits_); }
  // The acceleration along axis n.
  double number_beside(int n, std::size_t leaf, std::ptrdiff_t volume) const override {
    const std::ptrdiff_t volumes = ipow<std::ptrdiff_t>(solver_->layout().p, D);
    return leaves_->acceleration(leaf)[n * volumes + volume] - mean_[static_cast<std::size_t>(n)];
  }
  std::size_t bytes() const override {
    return (largest_.size() + residuals_.size()) * sizeof(double) +
           (on_host_ != nullptr ? solver_->bytes() + on_host_->bytes() : 0);
  }
  std::size_t device_bytes(const mesh::PatchMesh<D>& mesh) const override {
    if (leaves_ && on_host_ == nullptr && revision_ == mesh.revision())
      return solver_->bytes() + leaves_->bytes();
    return tasks::DevicePoisson<D>::estimated_bytes(mesh.size(), mesh.layout().p) +
           DeviceGravity<D>::estimated_bytes(mesh.size(), mesh.layout().p, parameters_.conserves_energy);
  }
  // potential_energy: integral of rho phi / 2, of an approximate phi plus the integral of phi times its residual, over 8 pi G:
  // errors of phi then enter by their square. mean_acceleration: the length of what was subtracted. energy_factor,
  // regrid_energy, expansion_energy: see energy_budget.hpp.
  std::vector<simulation::Measure> measures() const override;
  void save(io::CheckpointState& state) const override { budget_.save(state); }
  void restore(const io::CheckpointState& state) override {
    budget_.restore(state);
    step_length_ = state.dt;
  }

 private:
  using Work = LeafGravity::Work;
  using Numbers = solvers::PotentialNumbers<D>;
  // Makes the solver one of this mesh, where its patches are.
  void follow(mesh::PatchMesh<D>& mesh, const ThreadTeam& team);
  void find_moments_of_volumes(int p);
  // Work with the parameters that all kinds have; that of keep(); a kick less a mean acceleration or shift; and that of half a
  // step.
  Work of_kind(Work::Kind kind) const;
  Work keep_of(double dt) const;
  Work kick_by(const Point<D>& mean) const;
  Work kick_of(double dt, Half half) const;
  // The steps that have ended: one of all levels, or in local steps the last of each level of the tree. dt: that of the
  // coarsest, or 0 if there was none.
  struct Ended {
    double dt = 0;
    std::span<const double> by_level = {};
    bool is_local() const { return !by_level.empty(); }
    // 0 for levels finer than all leaves.
    double of(int level) const {
      if (!is_local()) return dt;
      const auto number = static_cast<std::size_t>(level);
      return number < by_level.size() ? by_level[number] : 0;
    }
  };
  // Sets the mean density and what the solution is measured by. Returns the residual that is small enough.
  double measure_density(const mesh::PatchMesh<D>& mesh, ThreadTeam& team);
  // What the solution is of.
  enum class Of : std::uint8_t { initial_data, step, regrid };
  // Sets the source, and the potential to that of the carried rows a time dt later.
  void start(double t, double dt, Of of, ThreadTeam& team);
  // Sets the source of levels from `first` on, and continues the potential of these and of the next coarser one to time t by
  // the rate of the last step of the coarsest level: with rates of their own steps, errors of large extent, which cycles of few
  // levels leave, would grow.
  void start_levels(double t, int first, ThreadTeam& team);
  // Sets the carried rows from the solution. dt: of the coarsest level's step, or 0 to leave the rate.
  void keep(double dt, ThreadTeam& team);
  // Sets the multipoles of the gas, and by them the potential on open faces.
  void open(const mesh::PatchMesh<D>& mesh, ThreadTeam& team);
  double potential_of_multipoles(const Point<D>& x) const;
  void solve(mesh::PatchMesh<D>& mesh, double t, const Ended& ended, Of of, ThreadTeam& team);
  // Throws simulation::StateFailure, since cycles do not reduce the residual. Collective.
  [[noreturn]] void fail(const mesh::PatchMesh<D>& mesh, double t) const;
  // Sets the acceleration at time t from the potential, its residual, and the terms of the budget for a step, if that is one.
  void differentiate(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended, ThreadTeam& team);
  void find_step_limits(const mesh::PatchMesh<D>& mesh, double t);
  // Integrals over the domain: Numbers. energy: of phi (S + r), r the residual; work, of both halves of a step, before the mean acceleration
  // is subtracted; momentum, before the second half; over open faces, of the flow of mass, of that times phi, of phi and of 1;
  // after local steps impulse, of the last halves of all levels, and given, what kicks before have given.
  enum Integral : int { impulse = Numbers::sums, given = impulse + D, count = given + D };
  using Sums = std::array<ExactSum, count>;
  // Sets the acceleration of levels from `first` on and the largest residual there. Returns integrals over this rank's leaves of
  // these levels.
  Sums differentiate_levels(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended, int first,
                            ThreadTeam& team);
  // The part of a leaf in the sums.
  void add_leaf(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Ended& ended, const double* numbers,
                Sums& sums, double& residual);
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

  SelfGravityParameters parameters_;
  Boundaries boundaries_;
  std::uint64_t revision_ = 0;  // of the mesh of the solver
  std::unique_ptr<tasks::PoissonMultigrid<D>> solver_;
  std::unique_ptr<LeafGravity> leaves_;
  HostGravity<D>* on_host_ = nullptr;                     // the same, or null
  const parallel::Communicator* communicator_ = nullptr;  // of the mesh
  mesh::Domain<D> domain_;
  bool has_copies_ = false;                  // the tables of list_copies()
  std::vector<double> largest_, residuals_;  // length of the acceleration and residual, largest of each leaf
  Point<D> mean_{};
  Point<D>
      shift_{};  // of velocity, which takes back what all kicks since the last solution of all levels have given
  double step_length_ = 0;                 // of the last one, also after a restart
  bool sets_rate_ = true;                  // that one was long enough for a rate of the potential
  std::vector<double> time_of_potential_;  // in the solver, by level of the tree
  EnergyBudget budget_;
  double mass_ = 0, mass_before_ = 0;                      // now, and at the last solution
  double mean_density_ = 0;                                // that which has no gravity
  double work_done_ = 0, shares_ = 0, through_faces_ = 0;  // energy that mass brings
  solvers::Multipoles<D> moments_;                         // of the gas about centre_, with open faces
  Point<D> centre_{};
  // By level of the tree: the time for which states of its leaves that halos read have been kicked ahead of their fluxes.
  std::vector<double> ahead_;
  // Of a source in each volume of a patch about the patch's middle, with volumes of width 1: [volume][moment]; empty without
  // open faces.
  std::vector<solvers::Multipoles<D>> multipoles_;
  std::vector<double> step_limits_;  // by level of the tree
  double energy_ = 0, mean_acceleration_ = 0;
  double residual_ = 0, scale_ = 0;  // largest residual and source
  int cycles_ = 0;
};

}  // namespace meander::euler
