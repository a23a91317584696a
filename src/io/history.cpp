// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/history.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "io/atomic_file.hpp"
#include "io/text_file.hpp"

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

// The lines up to step `last` inclusive.
std::string lines_until(const std::string& path, const std::string& header, std::int64_t last) {
  { const OpenFile is_regular(path); }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string kept, line;
  std::getline(file, line);
  if (file.eof() && header.starts_with(line)) return header + '\n';
  if (line != header) {
    throw InputError(fmt::format(
        "{}: has other columns than this run; move it away, or choose another output directory", path));
  }
  const auto commas = std::count(header.begin(), header.end(), ',');
  // A last line without its end is incomplete: the run was killed while writing it.
  for (kept = header + '\n'; std::getline(file, line) && !file.eof(); kept += line + '\n') {
    char* end = nullptr;
    const double step = std::strtod(line.c_str(), &end);
    if (*end != ',' || step > static_cast<double>(last)) break;
    if (std::count(line.begin(), line.end(), ',') != commas) break;
  }
  return kept;
}

}  // namespace

History::History(std::string path, std::span<const Column> columns)
    : path_(std::move(path)), columns_(columns.size()) {
  open("wx");
  write(header_of(columns));
}

History::History(std::string path, std::span<const Column> columns, std::int64_t last)
    : path_(std::move(path)), columns_(columns.size()) {
  MEANDER_ASSERT(columns.front().name == "step");
  const std::string header = header_of(columns);
  const bool exists = std::filesystem::exists(path_);
  write_whole(path_, exists ? lines_until(path_, header, last) : header + '\n');
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
  write(fmt::format("{}", fmt::join(cells, ",")));
}

void History::write(const std::string& line) {
  if (std::fputs((line + '\n').c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    throw Failure(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
  }
}

}  // namespace meander::io
