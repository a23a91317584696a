// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A field that follows from the state of all leaves, such as the potential of self-gravity. A global step lets it act for half
// of the step before the fluxes, solves it anew for the state after them, and lets that act for the other half: second order in
// time. What the next solution starts from it keeps in the carried rows of the leaves (solvers::Traits::carried_names), so that
// regrids move it and a restart has it, too.
//
// In local steps each level does so in each of its own steps: where levels end a step, within that of a coarser one, the field is
// solved on them alone, beside that of coarser leaves continued in time, and acts for the half of the step that ends and that
// of the one that begins. When all levels have ended theirs, it is solved as after a global step. Halos of a level need states
// on which it has acted for half of the step of that level, whatever the level of the leaves that they come from: finer leaves
// are moved on, and coarser states within their step, too.

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "io/checkpoint_file.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/state_view.hpp"
#include "tasks/interior_sweep.hpp"

namespace meander::simulation {

template <int D>
class StepField : public NumbersBeside {
 public:
  virtual ~StepField() = default;

  // The field of the state in the interiors of all leaves at time t: of initial data, whose carried rows are undefined; and
  // after a step of length dt, or, with dt = 0, after a regrid. Throw parallel::AgreedFailure if there is none, or no memory
  // for it. Collective.
  virtual void begin(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) = 0;
  virtual void solve(mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) = 0;
  // The field of the last begin() or solve(), with the same bits: after a restart, or when leaves have moved to other ranks.
  // Throws as solve(). Collective.
  virtual void resume(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) = 0;
  // The action of the last field on the leaves for half of a step of length dt, before or after its fluxes.
  enum class Half : bool { before, after };
  virtual tasks::LeafChange action(double dt, Half half, ThreadTeam& team) = 0;

  // In a step with local steps, at time t: the field of the levels of the tree from `first` on, which have ended a step within
  // that of a coarser level. Throws as solve(). Collective.
  virtual void solve_within(mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team) = 0;
  // In place of solve() after a step with local steps. ended: by level of the tree, the length of its last step.
  virtual void solve_after(mesh::PatchMesh<D>& mesh, double t, double dt, std::span<const double> ended,
                           ThreadTeam& team) = 0;
  // Lets that field act on the own leaves of the levels of the tree from `first` on, for times by level, which may be negative.
  // starts: when all levels begin their steps. begun: the part of the times that belongs to the steps that begin, equal for all
  // these levels.
  virtual void act_within(int first, std::span<const double> times, double begun, bool starts,
                          ThreadTeam& team) = 0;
  // Lets it act on all own leaves for half of the last step of the leaf's level, after solve_after().
  virtual void act_after(std::span<const double> ended, ThreadTeam& team) = 0;
  // Lets it act for a time on the states of a level of the tree within its step that finer halos read
  // (tasks::LocalStepRule::at_time), without more.
  virtual void act_on_copies(int level, double time, ThreadTeam& team) = 0;
  // Lets it act on a given state at a point beyond the domain, of volumes of width dx, for as long as it has acted, ahead of the
  // fluxes, on the leaves of that width or, within their step, on their copies. Any thread may call it.
  virtual void act_beyond(const double* x, double dx, double* q) const = 0;

  // The longest step that the field allows a level of the tree; equal on all ranks. Infinite for levels without leaves.
  virtual double step_limit(int level) const = 0;
  // The longest step of all levels.
  virtual double step_limit() const = 0;
  // Memory of this rank on the host, but for the carried rows; and on its device, where patches live there, which may be an estimate
  // if no field has been found on the mesh.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t device_bytes(const mesh::PatchMesh<D>& mesh) const = 0;
  // Columns of the history, of the last solution.
  virtual std::vector<Measure> measures() const = 0;
  // Saves, and before resume() restores, what it keeps beside the carried rows. Default: nothing.
  virtual void save(io::CheckpointState&) const {}
  virtual void restore(const io::CheckpointState&) {}
};

}  // namespace meander::simulation
