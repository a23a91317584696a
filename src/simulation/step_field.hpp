// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A field that follows from the state of all leaves, such as the potential of self-gravity. A global step lets it act for half
// of the step before the fluxes, solves it anew for the state after them, and lets that act for the other half: second order in
// time. What the next solution starts from it keeps in the carried rows of the leaves (solvers::Traits::carried_names), so that
// regrids move it and a restart has it, too.

#include <cstddef>
#include <vector>

#include "base/thread_team.hpp"
#include "io/checkpoint_file.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/state_view.hpp"

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
  // Lets the field, of the same mesh, act on the interior of an own leaf for half of a step of length dt, before or after its
  // fluxes. Concurrently for different leaves.
  enum class Half : bool { before, after };
  virtual void act(mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt, Half half) = 0;
  // The longest step that the field allows; equal on all ranks.
  virtual double step_limit() const = 0;
  // Memory of this rank, but for the carried rows.
  virtual std::size_t bytes() const = 0;
  // Columns of the history, of the last solution.
  virtual std::vector<Measure> measures() const = 0;
  // Saves, and before resume() restores, what it keeps beside the carried rows. Default: nothing.
  virtual void save(io::CheckpointState&) const {}
  virtual void restore(const io::CheckpointState&) {}
};

}  // namespace meander::simulation
