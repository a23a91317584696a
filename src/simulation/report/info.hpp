// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander info`: what a file of a run holds.

#include <string>

namespace meander::simulation {

// Of a checkpoint (which is verified whole), a plot file, a series of plot files, a history or an input file;
// for a terminal. Throws InputError for a file that is none of these, or is damaged.
std::string info(const std::string& path);

}  // namespace meander::simulation
