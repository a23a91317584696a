// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `meander terms`: the right-hand sides of the equations at given points, for comparison with other codes
// (docs/terms.md).

#include <string>
#include <vector>

namespace meander::simulation {

// The names of the equations, followed by "-2d" or "-3d" if the equation exists in both dimensions.
std::vector<std::string> pde_names();

// For every row of `text` the terms of `pde` as a row of numbers with 17 significant digits. A row holds the
// unknowns, then their derivatives along x, y and z (in 2D: x and y), separated by white space. The
// derivatives may be omitted if no term reads them. A '#' begins a comment; rows without numbers are skipped.
// settings: "solver.key=value". name: of the text, in messages. Throws InputError for an unknown pde or key,
// and, with name and line, for a row that is malformed or at which the terms are not finite.
std::string terms(const std::string& pde, const std::vector<std::string>& settings, const std::string& text,
                  const std::string& name);

// As above for a file; "" or "-": standard input.
std::string terms_of_file(const std::string& pde, const std::vector<std::string>& settings,
                          const std::string& file);

}  // namespace meander::simulation
