// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/history.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/assert.hpp"
#include "base/error.hpp"

namespace meander::io {

History::History(std::string path, std::span<const Column> columns)
    : path_(std::move(path)), columns_(columns.size()), file_(std::fopen(path_.c_str(), "wx")) {
  if (file_ == nullptr) throw Failure(fmt::format("{}: cannot create: {}", path_, std::strerror(errno)));
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    line += column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  }
  write(line);
}

void History::row(std::span<const double> values) {
  MEANDER_ASSERT(values.size() == columns_);
  std::string line;
  for (const double value : values) {
    if (!line.empty()) line += ',';
    line += fmt::format("{:.17g}", value);
  }
  write(line);
}

void History::write(const std::string& line) {
  if (std::fputs((line + '\n').c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    throw Failure(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
  }
}

}  // namespace meander::io
