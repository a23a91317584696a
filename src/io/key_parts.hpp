// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds dotted keys of too many parts before a text is parsed. The TOML parser limits the depth of lists and inline
// tables, but makes a nested table of every part of a key, which its destructor and ours visit by recursion.

#include <optional>
#include <string_view>

namespace meander::io {

struct TextPosition {
  int line = 1, column = 1;  // columns count characters
};

// The first part, in the order of the text, that makes a key longer than `most` parts. Strings and comments are
// skipped. Text that is no TOML may give any position.
std::optional<TextPosition> find_long_key(std::string_view text, int most);

}  // namespace meander::io
