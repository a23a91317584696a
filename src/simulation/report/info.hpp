// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander info`: the content of a file of a run.

#include <string>

namespace meander::simulation {

// The content of a checkpoint (which is verified), plot file, series of plot files, history, file of a diagnostic (table or
// samples, io/row_files.hpp) or input file, for a terminal. Throws InputError for any other file, and for a damaged one.
std::string info(const std::string& path);

}  // namespace meander::simulation
