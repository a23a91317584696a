// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander report`: starts the command of that name of the Python package.

#include <string>
#include <vector>

namespace meander::app {

// Runs the package's command with these arguments: that of the source tree or of the installation that the program belongs
// to, or else one that Python finds. Returns its exit code. Throws Failure with what to install if no Python has the
// package and what it needs.
int run_report(const std::vector<std::string>& arguments);

}  // namespace meander::app
