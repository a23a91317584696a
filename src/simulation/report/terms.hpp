// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander terms`: the right-hand sides of the equations at points that the user gives, to hold them against
// other codes (docs/terms.md).

#include <string>
#include <vector>

namespace meander::simulation {

// "ccz4", "euler-2d", "euler-3d": the equations by name, with the dimension where there is a choice.
std::vector<std::string> pde_names();

// For every row of `text` the terms of `pde` as a row of numbers with 17 significant digits. A row holds the
// unknowns, then their derivatives along x, y and z (in 2D: x and y), which may be left out where no term
// reads them; white space between. A '#' begins a comment, and rows of nothing else are passed over.
// settings: "solver.key=value". Throws InputError for a pde or key that there is none of, and, with `name`
// (what messages call the text) and line, for a row that is malformed or at which the terms are not finite.
std::string terms(const std::string& pde, const std::vector<std::string>& settings, const std::string& text,
                  const std::string& name);

// The same for a file; "" or "-": standard input.
std::string terms_of_file(const std::string& pde, const std::vector<std::string>& settings,
                          const std::string& file);

}  // namespace meander::simulation
