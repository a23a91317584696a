// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which inputs may change on restart.

#include "io/checkpoint_file.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// The facts of a checkpoint that restrict the input.
struct CheckpointFacts {
  std::string path;
  Config config;  // of the run that wrote it
  double time = 0;
  int finest_level = 0;
};

// The input in a checkpoint or plot file, read without the devices of its run, which need not exist here, and without a limit
// of memory. `path`: its name in messages. Throws InputError. Not collective.
Config load_stored_input(const std::string& text, const std::string& path);

// The facts of an open checkpoint. Reads and checks its input, and checks that its mesh is the one that this
// input describes. `path`: its name in messages. Throws InputError. Not collective.
CheckpointFacts facts_of(const io::CheckpointReader& checkpoint, const std::string& path);

// Throws InputError with the key and both values if a fixed key has another value, an axis becomes or ceases
// to be periodic, max-level is below the finest leaf, min-level is raised, or the run ends before the
// checkpoint.
void check_restart(const Config& config, const CheckpointFacts& checkpoint);

// The mesh of the file must be the one that the input in the file describes. Throws InputError.
void check_mesh_of_checkpoint(const CheckpointFacts& checkpoint, const io::CheckpointMesh& mesh,
                              const std::string& equation);

}  // namespace meander::simulation
