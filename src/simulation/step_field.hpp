// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A field that follows from the state of all leaves, such as the potential of self-gravity. A global step lets it act for half
// of the step before the fluxes, solves it anew for the state after them, and lets that act for the other half: second order in
// time. It depends on the state only, so that a restart has it, too.

#include <cstddef>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/state_view.hpp"

namespace meander::simulation {

template <int D>
class StepField {
 public:
  virtual ~StepField() = default;

  // The field of the state in the interiors of all leaves. Throws parallel::AgreedFailure if there is none, or no memory for
  // it. Collective.
  virtual void solve(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) = 0;
  // Lets the field of the last solve(), of the same mesh, act on the interiors for a time dt. Halos are then out of date.
  virtual void act(mesh::PatchMesh<D>& mesh, double dt, ThreadTeam& team) const = 0;
  // The longest step that the field allows; equal on all ranks.
  virtual double step_limit() const = 0;
  // Memory of this rank, for the mesh of the last solve().
  virtual std::size_t bytes() const = 0;
  // Columns of the history, of the last solve().
  virtual std::vector<Measure> measures() const = 0;
};

}  // namespace meander::simulation
