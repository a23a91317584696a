// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text of files and of the command line, made harmless for a terminal.

#include <cstdint>
#include <string>
#include <string_view>

namespace meander {

enum class Lines : std::uint8_t { keep, join };  // join: line ends and tabs are replaced, too

// Replaces by '?' what a terminal would obey instead of showing: control characters, bytes that are no UTF-8, and
// characters that reorder text (U+202A to U+202E, U+2066 to U+2069).
std::string printable(std::string_view text, Lines lines = Lines::keep);

}  // namespace meander
