// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// "Did you mean ...?": the nearest of some names to a misspelt one.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meander::io {

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b (Damerau 1964, in the
// restricted form). Case, and '-' against '_' or ' ', make no difference.
int edit_distance(std::string_view a, std::string_view b);

// The nearest name, or empty if all are too far away to be what was meant (more than a third of the letters,
// at least 2). The first of equals.
std::string nearest(std::string_view name, std::span<const std::string> names);

// "; did you mean 'patch-size'?", or, where none is near, "; allowed here: a, b, c" with `otherwise` as the
// words before the list.
std::string suggestion(std::string_view name, std::span<const std::string> names,
                       std::string_view otherwise = "allowed here");

}  // namespace meander::io
