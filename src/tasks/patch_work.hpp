// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work on a rank's patches in a time step, where they live: HostWork for patches in host memory, with
// offloading in batches if there is an engine, DeviceWork for patches in the memory of a device. One call is
// one sweep; Traversal calls them in the order below, in every stage.

#include "mesh/patch_mesh.hpp"
#include "tasks/interior_sweep.hpp"
#include "tasks/status.hpp"

namespace meander::tasks {

enum class LeafGroup { border, interior };

template <int D>
class PatchWork {
 public:
  PatchWork() = default;
  virtual ~PatchWork() = default;
  PatchWork(const PatchWork&) = delete;
  PatchWork& operator=(const PatchWork&) = delete;

  // Begins a stage and receives: then the leaves that other ranks wait for.
  virtual void update_border(const SweepCall& call) = 0;
  // Only for conservative solvers: sends the fluxes; updates leaves meanwhile; waits for the fluxes of other
  // ranks; corrects the leaves of a group.
  virtual void start_fluxes() = 0;
  virtual void update_during_fluxes() = 0;
  virtual void finish_fluxes() = 0;
  virtual void correct(LeafGroup group, double dt) = 0;
  // Sends halos; on return from update_rest() all leaves are updated.
  virtual void start_halos() = 0;
  virtual void update_rest() = 0;
  // Fills the halos for time t that need no messages; waits for messages; fills those that need them.
  virtual void fill(mesh::Arrival arrival, double t) = 0;
  virtual void finish_halos(double t) = 0;

  // The status of this rank's leaves after the last stage.
  virtual solvers::Status status() = 0;
  // Whether status() is best asked for after all halos are filled, because it waits.
  virtual bool fills_before_status() const { return false; }
  // The status of the present state, and that after its interiors were lifted to the solver's floors.
  virtual solvers::Status inspect() = 0;
  virtual solvers::Status enforce_floors() = 0;
};

}  // namespace meander::tasks
