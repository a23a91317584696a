// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander info`: the content of a file of a run.

#include <string>

#include "base/process.hpp"

namespace meander::simulation {

// The content of a checkpoint (which is verified), plot file, series of plot files, history, file of a diagnostic (table or
// samples, io/row_files.hpp) or input file, for a terminal. Patches of a checkpoint that need more than `memory` bytes are
// not read, and the text says so. Throws InputError for any other file, and for a damaged one.
std::string info(const std::string& path, double memory = available_memory());

}  // namespace meander::simulation
