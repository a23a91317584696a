// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/row_files.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "base/assert.hpp"
#include "io/run_directory.hpp"

namespace meander::io {

namespace {

bool is_table(const RowFile& file) {
  return std::holds_alternative<RowFile::Table>(file.format);
}

std::vector<Column> columns_of(const RowFile& file) {
  std::vector<Column> columns = {{"step", ""}, {"time", ""}};
  for (const std::string& name : std::get<RowFile::Table>(file.format).columns) columns.push_back({name, ""});
  return columns;
}

SampleFile samples_of(const RowFile& file) {
  return {file.name, std::get<RowFile::Samples>(file.format).header};
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
  const std::filesystem::path folder = std::filesystem::path(directory) / names.folder;
  std::vector<std::string> found;
  if (!std::filesystem::is_directory(folder)) return found;
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
    of_run.push_back(is_table(file) ? History::kept(directory + "/" + file.name, columns_of(file), last.step)
                                    : SampleFiles::kept(directory, samples_of(file), last.time));
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

RowFiles::RowFiles(const std::string& directory, std::span<const RowFile> files) {
  std::vector<SampleFile> samples;
  for (const RowFile& file : files) {
    auto& table = tables_.emplace_back();
    if (is_table(file))
      table.emplace(directory + "/" + file.name, columns_of(file));
    else
      samples.push_back(samples_of(file));
  }
  samples_.emplace(directory, samples);
}

RowFiles::RowFiles(std::span<const RowFile> files, const KeptRowFiles& kept) {
  MEANDER_ASSERT(files.size() == kept.of_run.size());
  std::vector<KeptRows> samples;
  for (std::size_t n = 0; n < files.size(); ++n) {
    auto& table = tables_.emplace_back();
    if (is_table(files[n]))
      table.emplace(kept.of_run[n]);
    else
      samples.push_back(kept.of_run[n]);
  }
  samples_.emplace(samples);
  for (const KeptRows& rows : kept.of_others) rows.cut();
}

void RowFiles::add(const StepAndTime& at, std::span<const Row> rows) {
  MEANDER_ASSERT(rows.size() == tables_.size());
  SampleRows samples;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::vector<std::string> cells;
    if (!rows[n].empty()) {
      if (tables_[n]) cells.push_back(fmt::format("{}", at.step));
      cells.push_back(History::cell(at.time));
      cells.insert(cells.end(), rows[n].begin(), rows[n].end());
    }
    if (!tables_[n])
      samples.push_back(std::move(cells));
    else if (!cells.empty())
      tables_[n]->row(cells);
  }
  samples_->add(samples);
}

void RowFiles::flush() {
  samples_->flush();
}

}  // namespace meander::io
