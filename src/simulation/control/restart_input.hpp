// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The input of a restart: checkpoint, input file and settings, and their locations.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

struct RestartInput {
  std::string checkpoint;                  // file, or directory of a run for its newest checkpoint
  std::string input = {};                  // file; empty: the input in the checkpoint
  std::vector<std::string> settings = {};  // applied to the input
};

// The file of the checkpoint: restart.checkpoint, or the newest checkpoint if that is a directory. The root
// reads the directory. Throws AgreedInputError (one rank: InputError) if it contains none. Collective.
std::string checkpoint_file(const RestartInput& restart, const parallel::Communicator& communicator);

// The output directory: `output` if not empty, else the value of --set output.directory; empty: the
// checkpoint's directory.
std::string new_directory(const RestartInput& restart, const std::string& output, const Config& config);

// The directory whose files the restart continues; empty: it writes to a new directory.
std::string continued_directory(const RestartInput& restart, const std::string& output);

}  // namespace meander::simulation
