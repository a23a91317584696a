// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/join.hpp"

namespace meander::io {

namespace {

std::string header_of(std::span<const Column> columns) {
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    line += column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  }
  return line;
}

}  // namespace

History::History(std::string path, std::span<const Column> columns)
    : path_(std::move(path)), columns_(columns.size()) {
  open("wx");
  write(header_of(columns));
}

KeptRows History::kept(std::string path, std::span<const Column> columns, std::int64_t last) {
  MEANDER_ASSERT(columns.front().name == "step");
  return {std::move(path), header_of(columns) + '\n', RowFormat::table, static_cast<double>(last)};
}

History::History(const KeptRows& kept)
    : path_(kept.path()), columns_(1 + static_cast<std::size_t>(std::ranges::count(kept.header(), ','))) {
  kept.cut();
  open("a");
}

void History::open(const char* mode) {
  file_.reset(std::fopen(path_.c_str(), mode));
  if (file_ == nullptr) throw Failure(fmt::format("{}: cannot create: {}", path_, std::strerror(errno)));
}

std::string History::cell(double value) {
  return fmt::format("{:.17g}", value);
}

void History::row(std::span<const double> values) {
  std::vector<std::string> cells;
  for (const double value : values) cells.push_back(cell(value));
  row(cells);
}

void History::row(std::span<const std::string> cells) {
  MEANDER_ASSERT(cells.size() == columns_);
  write(join(cells, ","));
}

void History::write(const std::string& line) {
  if (std::fputs((line + '\n').c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    throw Failure(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
  }
}

}  // namespace meander::io
