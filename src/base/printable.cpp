// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/printable.hpp"

#include <cstddef>

namespace meander {

namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: no valid UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80u) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0u ? 4 : lead >= 0xe0u ? 3 : 2;
  if (lead < 0xc2u || lead > 0xf4u || text.size() < bytes) return {};
  char32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return {};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[bytes] || code > 0x10ffff || is_surrogate ? Character{} : Character{code, bytes};
}

bool is_obeyed(char32_t code, Lines lines) {
  if (code == '\n' || code == '\t') return lines == Lines::join;
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool reorders = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || reorders;
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0 || is_obeyed(character.code, lines)) {
      result += '?';
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes > 0 ? character.bytes : 1);
  }
  return result;
}

}  // namespace meander
