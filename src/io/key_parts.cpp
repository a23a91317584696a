// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/key_parts.hpp"

#include <algorithm>

namespace meander::io {

namespace {

// The end of the string that begins at `begin` with a quote; the end of the text or of the line without one.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool has_escapes = quote == '"';
  const bool is_long = text.substr(begin, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  std::size_t at = begin + (is_long ? 3 : 1);
  for (; at < text.size(); ++at) {
    if (has_escapes && text[at] == '\\') {
      ++at;
    } else if (!is_long && text[at] == '\n') {
      return at;
    } else if (text[at] == quote && (!is_long || text.substr(at, 3) == text.substr(begin, 3))) {
      at += is_long ? 3 : 1;
      // A long string may end with up to two quotes of its own.
      for (int own = 0; is_long && own < 2 && at < text.size() && text[at] == quote; ++own) ++at;
      return at;
    }
  }
  return text.size();
}

TextPosition position_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  TextPosition position;
  position.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  position.column += static_cast<int>(
      std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
  return position;
}

}  // namespace

std::optional<TextPosition> find_long_key(std::string_view text, int most) {
  constexpr std::string_view separators = "\n\r=[]{},";
  int dots = 0;  // since the last separator
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
    } else {
      if (c == '.' && ++dots >= most) return position_of(text, at);
      if (separators.find(c) != std::string_view::npos) dots = 0;
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace meander::io
