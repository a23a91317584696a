// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/kept_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"
#include "io/text_file.hpp"

namespace meander::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_bytes_of_header = std::size_t{1} << 20;

[[noreturn]] void fail_to(const std::string& path, const char* what) {
  throw Failure(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

[[noreturn]] void refuse_rows(const std::string& place, const char* why) {
  throw InputError(fmt::format("{}: {}, or choose another output directory", place, why));
}

// Steps or times, and the number of separators in a row.
class RowParser {
 public:
  RowParser(RowFormat format, const std::string& header)
      : separator_(format == RowFormat::table ? ',' : ' '),
        separators_(format == RowFormat::table ? std::count(header.begin(), header.end(), ',') : unknown) {}

  // The first cell; none: the line is no row.
  std::optional<double> operator()(const std::string& line) {
    double first = 0;
    const char* end = line.data() + line.size();
    const auto [after, error] = std::from_chars(line.data(), end, first);
    if (error != std::errc{} || !std::isfinite(first) || after == end || *after != separator_)
      return std::nullopt;
    const auto separators = std::count(line.begin(), line.end(), separator_);
    if (separators_ == unknown) separators_ = separators;
    return separators == separators_ ? std::optional(first) : std::nullopt;
  }

 private:
  static constexpr std::ptrdiff_t unknown = -1;  // until the first row
  char separator_;
  std::ptrdiff_t separators_;
};

}  // namespace

KeptRows::KeptRows(std::string path, std::string header, RowFormat format, double last)
    : path_(std::move(path)), header_(std::move(header)) {
  if (!fs::exists(path_)) return;
  { const OpenFile is_regular(path_); }
  std::ifstream file(path_, std::ios::binary);
  if (!file) fail_to(path_, "open");
  std::string start(header_.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (!header_.starts_with(start)) {
    refuse_rows(path_, format == RowFormat::table ? "has other columns than this run; move it away"
                                                  : "has another header than this run; move it away");
  }
  if (start.size() < header_.size()) return;
  bytes_ = header_.size();
  auto number = std::count(header_.begin(), header_.end(), '\n');
  decltype(number) damaged = 0;  // the first line that is no row; 0: none
  RowParser first_cell(format, header_);
  for (std::string line; std::getline(file, line);) {
    ++number;
    const bool is_blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (damaged > 0 && !is_blank)
      refuse_rows(fmt::format("{}:{}", path_, damaged), "is no complete row; correct the file");
    // Without its end a number may be the start of a longer one.
    const std::optional<double> first = file.eof() ? std::nullopt : first_cell(line);
    if (!first && damaged == 0) damaged = number;
    if (!first) continue;
    if (*first > last) break;
    bytes_ += line.size() + 1;
    last_ = first;
  }
  if (file.bad()) fail_to(path_, "read");
}

void KeptRows::cut() const {
  if (bytes_ == 0) {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file << header_ << std::flush;
    if (!file) fail_to(path_, "create");
    return;
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path_, error);
  if (!error && size != bytes_) fs::resize_file(path_, bytes_, error);
  if (error) throw Failure(fmt::format("{}: cannot shorten: {}", path_, error.message()));
}

std::string header_in(const std::string& path, RowFormat format) {
  const std::string text = read_start(path, most_bytes_of_header);
  if (format == RowFormat::table)
    return text.starts_with("step,time,") ? text.substr(0, text.find('\n') + 1) : "";
  std::size_t bytes = 0;
  while (bytes < text.size() && text[bytes] == '#') {
    bytes = text.find('\n', bytes) + 1;
    if (bytes == 0) return "";
  }
  return text.substr(0, bytes);
}

}  // namespace meander::io
