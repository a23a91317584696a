// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A checkpoint of a simulation without the program around it.

#include <string>
#include <vector>

#include "simulation/output.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

inline void write_checkpoint(Simulation& simulation, const std::string& path,
                             io::CheckpointState state = {}) {
  io::CheckpointMesh mesh;
  simulation.save(mesh, state);
  const StateView view = simulation.view();
  const auto indices = simulation.leaf_indices();
  std::vector<io::PlotLeaf> leaves(indices.size());
  std::vector<const double*> patches;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves[leaf] = {view.levels[leaf],
                    {indices[leaf][0], indices[leaf][1], indices[leaf][2]},
                    simulation.communicator().rank()};
    patches.push_back(view.patches[leaf].q);
  }
  mesh.mesh.leaves = leaves;
  mesh.mesh.numbers = view.numbers;
  io::write_checkpoint(path, simulation.communicator(), mesh, patches, state);
}

}  // namespace meander::simulation
