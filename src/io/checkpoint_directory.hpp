// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The checkpoints of a run in its output directory: chk_<step>.hdf5. One rank alone calls these.

#include <cstdint>
#include <limits>
#include <string>

namespace meander::io {

// Path of the checkpoint of the latest step; empty if there is none. Files under temporary names do not
// count: what has its name is whole. Throws Failure if the directory cannot be read.
std::string newest_checkpoint(const std::string& directory);

// Deletes all but the n >= 1 newest checkpoints of steps up to `last`. Those of later steps are left alone: a
// run that was taken up again from an earlier step does not own them. Throws Failure.
void keep_newest_checkpoints(const std::string& directory, int n,
                             std::int64_t last = std::numeric_limits<std::int64_t>::max());

// Deletes what a killed run left under the temporary names of its checkpoints, plots, series and history. No
// other run writes there now. Throws Failure.
void remove_leftovers(const std::string& directory);

}  // namespace meander::io
