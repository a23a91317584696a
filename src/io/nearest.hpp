// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Suggestions for misspelt names: "did you mean ...?".

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meander::io {

// The number of insertions, deletions, substitutions and swaps of neighbours that turn a into b (Damerau
// 1964, restricted form). Case is ignored, and '-', '_' and ' ' are equal.
int edit_distance(std::string_view a, std::string_view b);

// The nearest name, the first of several; empty if all differ by more than a third of the letters (at least
// 2).
std::string nearest(std::string_view name, std::span<const std::string> names);

// "; did you mean 'patch-size'?" or, if no name is near, "; allowed here: a, b, c", with `otherwise` before
// the list.
std::string suggestion(std::string_view name, std::span<const std::string> names,
                       std::string_view otherwise = "allowed here");

}  // namespace meander::io
