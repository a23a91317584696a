// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "io/checksum.hpp"

namespace meander::io {

namespace {

constexpr std::string_view magic = "MEANDER CHECKPOINT ";
constexpr std::int64_t piece_bytes = std::int64_t{1} << 16;
constexpr std::size_t last_line = 22;  // "head ", 16 digits, end of line

std::string last_line_for(std::string_view above) {
  return fmt::format("head {:016x}\n", checksum(std::as_bytes(std::span(above)), 0));
}

// Calls piece(number, offset, bytes) for pieces that cover the file except its head and its patches.
void for_rest(
    const CheckpointHead& head,
    const std::function<void(std::int64_t number, std::int64_t offset, std::int64_t bytes)>& piece) {
  std::vector<CheckpointHead::Region> levels = head.levels;
  std::sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  levels.push_back({head.length, 0});
  std::int64_t number = 0, at = head_bytes;
  for (const auto& level : levels) {
    for (; at < level.offset; at = std::min(level.offset, at + piece_bytes)) {
      piece(number++, at, std::min(piece_bytes, level.offset - at));
    }
    at = level.offset + level.bytes;
  }
}

}  // namespace

std::string CheckpointHead::text() const {
  MEANDER_ASSERT(levels.size() <= max_checkpoint_levels);
  std::string text = fmt::format("{}{}\nlength {}\nrest {:016x}\n", magic, checkpoint_format, length, rest);
  for (const Region& level : levels) text += fmt::format("data {} {}\n", level.offset, level.bytes);
  MEANDER_ASSERT(text.size() < head_bytes - last_line);
  text.resize(head_bytes - last_line - 1, ' ');
  text += '\n';
  return text + last_line_for(text);
}

bool CheckpointHead::starts(std::string_view block) {
  return !block.empty() && block.substr(0, magic.size()) == magic.substr(0, block.size());
}

CheckpointHead CheckpointHead::parse(std::string_view block) {
  MEANDER_ASSERT(block.size() == head_bytes);
  const std::string_view above = block.substr(0, head_bytes - last_line);
  if (block.substr(above.size()) != last_line_for(above)) throw InputError("is damaged (its head)");
  CheckpointHead head;
  std::istringstream lines{std::string(above.substr(magic.size()))};
  int version = 0;
  lines >> version;
  if (version != checkpoint_format) {
    throw InputError(fmt::format("is a checkpoint of format {}; this program reads format {}", version,
                                 checkpoint_format));
  }
  std::string word;
  while (lines >> word) {
    if (word == "length") {
      lines >> head.length;
    } else if (word == "rest") {
      lines >> std::hex >> head.rest >> std::dec;
    } else if (word == "data") {
      Region& level = head.levels.emplace_back();
      lines >> level.offset >> level.bytes;
    }
  }
  return head;
}

std::uint64_t checksum_of_rest(const RawFile& file, const CheckpointHead& head, int part, int parts) {
  std::uint64_t sum = 0;
  std::vector<std::byte> buffer;
  for_rest(head, [&](std::int64_t number, std::int64_t offset, std::int64_t bytes) {
    if (number % parts != part) return;
    buffer.resize(static_cast<std::size_t>(bytes));
    file.read(offset, buffer);
    sum += checksum(buffer, static_cast<std::uint64_t>(number));
  });
  return sum;
}

std::string part_at(const CheckpointHead& head, std::int64_t offset) {
  if (offset < head_bytes) return "its head";
  for (std::size_t n = 0; n < head.levels.size(); ++n) {
    const auto& level = head.levels[n];
    if (offset >= level.offset && offset < level.offset + level.bytes)
      return fmt::format("the patches of level_{}", n);
  }
  return "its tables";
}

}  // namespace meander::io
