// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run that goes on from a checkpoint may do otherwise than the run that wrote it.

#include "io/checkpoint_file.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// What a checkpoint demands of the input.
struct CheckpointFacts {
  std::string path;
  Config config;  // the one that wrote it
  double time = 0;
  int finest_level = 0;
};

// Of an open checkpoint: reads and checks the input that it holds, and that its mesh is the one that input
// describes. `path` is what messages call it. Throws InputError. Not collective.
CheckpointFacts facts_of(const io::CheckpointReader& checkpoint, const std::string& path);

// Refuses, at the key and with both values, what would make no sense: another value of a key that is fixed,
// an axis that becomes or ceases to be periodic, a max-level below the finest leaf, a raised min-level, an
// end before the checkpoint. Throws InputError.
void check_restart(const Config& config, const CheckpointFacts& checkpoint);

// That the mesh in the file is the one its own input describes. Throws InputError.
void check_mesh_of_checkpoint(const CheckpointFacts& checkpoint, const io::CheckpointMesh& mesh,
                              const std::string& equation);

}  // namespace meander::simulation
