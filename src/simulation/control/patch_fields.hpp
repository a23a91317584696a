// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fields of patches (solvers::Traits::fields), which depend on the place of a patch only: set once for each leaf.

#include <vector>

#include "base/thread_team.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/equation.hpp"

namespace meander::simulation {

template <int D>
class PatchFields {
 public:
  // After each change of the mesh: sets the fields of leaves that this rank did not have at the last call. Returns the
  // largest value of Equation::set_fields() of all leaves of all ranks. Throws as that, on all ranks. Collective.
  double update(mesh::PatchMesh<D>& mesh, const Equation& equation, ThreadTeam& team);

 private:
  std::vector<mesh::Key<D>> leaves_;
  std::vector<double> largest_;  // of each
};

}  // namespace meander::simulation
