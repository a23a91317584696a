// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a restart is made of, and where it is found.

#include <string>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

struct RestartInput {
  std::string checkpoint;                  // file; or the directory of a run, for its newest one
  std::string input = {};                  // file; empty: the input that the checkpoint holds
  std::vector<std::string> settings = {};  // on top of it
};

// The checkpoint's file: what it says, or the newest of the directory that it says. The root looks. Throws
// AgreedInputError (one rank: InputError) where a directory holds none. Collective.
std::string checkpoint_file(const RestartInput& restart, const parallel::Communicator& communicator);

// Where it is to write: `output`, if that is not empty; what --set output.directory says; empty: beside the
// checkpoint.
std::string new_directory(const RestartInput& restart, const std::string& output, const Config& config);

}  // namespace meander::simulation
