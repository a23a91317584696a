// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/row_files.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "io/files.hpp"
#include "io/run_directory.hpp"

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
  open_regular(path_);
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
    file.close();
    return flush_to_disk(path_);
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path_, error);
  if (!error && size == bytes_) return;
  if (!error) fs::resize_file(path_, bytes_, error);
  if (error) throw Failure(fmt::format("{}: cannot shorten: {}", path_, error.message()));
  flush_to_disk(path_);
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
  if (file_ == nullptr) fail_to(path_, "create");
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
  if (std::fputs((line + '\n').c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0)
    fail_to(path_, "write");
  has_new_rows_ = true;
}

void History::flush_to_disk() {
  if (has_new_rows_) io::flush_to_disk(::fileno(file_.get()), path_);
  has_new_rows_ = false;
}

namespace {

constexpr std::chrono::seconds flush_interval(60);

std::string commented(const std::string& header) {
  std::istringstream lines(header);
  std::string text, line;
  while (std::getline(lines, line)) text += "# " + line + '\n';
  return text;
}

void create_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Failure(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
}

void write_text(const std::string& path, const std::string& text, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) fail_to(path, "open");
  const bool written = std::fputs(text.c_str(), file) >= 0;
  const int reason = errno;
  if (std::fclose(file) != 0 || !written)
    throw Failure(fmt::format("{}: cannot write: {}", path, std::strerror(written ? errno : reason)));
}

bool is_table(const RowFile& file) {
  return std::holds_alternative<RowFile::Table>(file.format);
}

std::vector<Column> columns_of(const RowFile& file) {
  std::vector<Column> columns = {{"step", ""}, {"time", ""}};
  for (const std::string& name : std::get<RowFile::Table>(file.format).columns) columns.push_back({name, ""});
  return columns;
}

std::string path_of(const std::string& directory, const RowFile& file) {
  return (fs::path(directory) / file.name).string();
}

std::string header_of(const RowFile& samples) {
  return commented(std::get<RowFile::Samples>(samples.format).header);
}

KeptRows kept_of(const std::string& directory, const RowFile& file, const StepAndTime& last) {
  const std::string path = path_of(directory, file);
  return is_table(file) ? History::kept(path, columns_of(file), last.step)
                        : KeptRows(path, header_of(file), RowFormat::samples, last.time);
}

// An extended regular expression of POSIX for whole names. (std::regex takes the compiler seconds.)
class NamePattern {
 public:
  explicit NamePattern(const std::string& expression) {
    if (::regcomp(&pattern_, ("^(" + expression + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0)
      throw std::invalid_argument("no regular expression: " + expression);
  }
  ~NamePattern() { ::regfree(&pattern_); }
  NamePattern(const NamePattern&) = delete;
  NamePattern& operator=(const NamePattern&) = delete;

  bool matches(const std::string& name) const {
    return ::regexec(&pattern_, name.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t pattern_;
};

// The files of these names, relative to the directory.
std::vector<std::string> files_called(const std::string& directory, const RowFileNames& names) {
  const fs::path folder = fs::path(directory) / names.folder;
  std::vector<std::string> found;
  if (!fs::is_directory(folder)) return found;
  const NamePattern pattern(names.pattern);
  for (const auto& path : regular_files(folder.string())) {
    const std::string name = path.filename().string();
    if (pattern.matches(name)) found.push_back((names.folder / path.filename()).string());
  }
  return found;
}

}  // namespace

KeptRowFiles::KeptRowFiles(const std::string& directory, std::span<const RowFile> files,
                           const StepAndTime& last, std::span<const RowFileNames> others) {
  std::set<std::string> names_of_run;
  for (const RowFile& file : files) {
    names_of_run.insert(file.name);
    of_run.push_back(kept_of(directory, file, last));
  }
  for (const RowFileNames& names : others) {
    for (const std::string& name : files_called(directory, names)) {
      const std::string path = directory + "/" + name;
      const std::string header = names_of_run.contains(name) ? "" : header_in(path, names.format);
      if (header.empty()) continue;
      of_others.emplace_back(path, header, names.format,
                             names.format == RowFormat::table ? static_cast<double>(last.step) : last.time);
    }
  }
}

RowFiles::RowFiles(const std::string& directory, std::span<const RowFile> files)
    : pending_(files.size()), has_new_samples_(files.size(), true) {
  for (const RowFile& file : files) {
    const std::string& path = paths_.emplace_back(path_of(directory, file));
    auto& table = tables_.emplace_back();
    if (is_table(file)) {
      table.emplace(path, columns_of(file));
    } else {
      create_folder_of(path);
      write_text(path, header_of(file), "wx");
    }
  }
}

RowFiles::RowFiles(std::span<const RowFile> files, const KeptRowFiles& kept)
    : pending_(files.size()), has_new_samples_(files.size(), false) {
  MEANDER_ASSERT(files.size() == kept.of_run.size());
  for (std::size_t n = 0; n < files.size(); ++n) {
    const std::string& path = paths_.emplace_back(kept.of_run[n].path());
    auto& table = tables_.emplace_back();
    if (is_table(files[n])) {
      table.emplace(kept.of_run[n]);
    } else {
      create_folder_of(path);
      kept.of_run[n].cut();
    }
  }
  for (const KeptRows& rows : kept.of_others) rows.cut();
}

void RowFiles::add(const StepAndTime& at, std::span<const Row> rows) {
  MEANDER_ASSERT(rows.size() == tables_.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (rows[n].empty()) continue;
    std::vector<std::string> cells = {History::cell(at.time)};
    if (tables_[n]) cells.insert(cells.begin(), fmt::format("{}", at.step));
    cells.insert(cells.end(), rows[n].begin(), rows[n].end());
    if (tables_[n])
      tables_[n]->row(cells);
    else
      pending_[n] += join(cells, " ") + '\n';
  }
  if (std::chrono::steady_clock::now() - flushed_ > flush_interval) flush();
}

void RowFiles::flush() {
  flushed_ = std::chrono::steady_clock::now();
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    if (pending_[n].empty()) continue;
    write_text(paths_[n], pending_[n], "a");
    pending_[n].clear();
    has_new_samples_[n] = true;
  }
}

void RowFiles::flush_to_disk() {
  flush();
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    if (tables_[n])
      tables_[n]->flush_to_disk();
    else if (has_new_samples_[n] && fs::exists(paths_[n]))  // nobody has moved it away
      io::flush_to_disk(paths_[n]);
    has_new_samples_[n] = false;
  }
}

}  // namespace meander::io
