// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The checkpoints in the output directory of a run: listing, setting aside, and removal of half-written files. Called
// by one rank.
//
// A checkpoint is called chk_NNNNNN.hdf5, with the step in at least six digits. checkpoint_writer.cpp writes
// it as chk_NNNNNN.hdf5.part and renames it when it is complete (atomic_file.hpp). One that a restart from an earlier
// checkpoint has set aside is called chk_NNNNNN.hdf5.replaced, and counts as none.

#include <cstdint>
#include <string>
#include <vector>

namespace meander::io {

// Steps of the complete checkpoints, ascending. Throws Failure if the directory cannot be read.
std::vector<std::int64_t> checkpoint_steps(const std::string& directory);

// Path of the checkpoint of the latest step; empty if there is none. Throws Failure if the directory cannot
// be read.
std::string newest_checkpoint(const std::string& directory);

// The name of a checkpoint that is set aside.
std::string replaced_name(const std::string& path);

// Sets aside the checkpoints of later steps than `step`: afterwards, whatever happens, none of them is the newest. Replaces
// files that were set aside under the same name before. The directory is flushed to the disk. Returns the former paths.
// Throws Failure.
std::vector<std::string> set_aside_later_checkpoints(const std::string& directory, std::int64_t step);

// Removes the files that a killed run left half written: checkpoints, plots, failing states, series, history,
// summary and input, by their exact names with ".part". Files of any other name stay. No other run writes
// into the directory at the same time. Returns the paths of the removed files. Throws Failure if the
// directory cannot be read or a file cannot be removed.
std::vector<std::string> remove_half_written_files(const std::string& directory);

}  // namespace meander::io
