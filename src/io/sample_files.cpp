// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "io/text_file.hpp"

namespace meander::io {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds flush_interval(60);

std::string commented(const std::string& header) {
  std::istringstream lines(header);
  std::string text, line;
  while (std::getline(lines, line)) text += "# " + line + '\n';
  return text;
}

// The length of header and complete rows up to time `last` inclusive; 0: the header is incomplete.
std::size_t length_until(const std::string& path, const std::string& header, double last) {
  const std::string text = read_text_file(path);
  if (text.size() < header.size() && header.starts_with(text)) return 0;
  if (!text.starts_with(header)) {
    throw InputError(fmt::format(
        "{}: has another header than this run; move it away, or choose another output directory", path));
  }
  std::size_t kept = header.size();
  for (std::size_t end; (end = text.find('\n', kept)) != std::string::npos; kept = end + 1) {
    char* after = nullptr;
    const double time = std::strtod(text.c_str() + kept, &after);
    if (*after != ' ' || !(time <= last)) break;
  }
  return kept;
}

void write_text(const std::string& path, const std::string& text, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) throw Failure(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  const bool written = std::fputs(text.c_str(), file) >= 0;
  const int reason = errno;
  if (std::fclose(file) != 0 || !written)
    throw Failure(fmt::format("{}: cannot write: {}", path, std::strerror(written ? errno : reason)));
}

}  // namespace

SampleFiles::SampleFiles(const std::string& directory, std::vector<SampleFile> files)
    : SampleFiles(directory, std::move(files), nullptr) {}

SampleFiles::SampleFiles(const std::string& directory, std::vector<SampleFile> files, double last)
    : SampleFiles(directory, std::move(files), &last) {}

SampleFiles::SampleFiles(const std::string& directory, std::vector<SampleFile> files, const double* last) {
  for (const SampleFile& file : files) {
    const fs::path path = fs::path(directory) / file.name;
    const std::string header = commented(file.header);
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      throw Failure(fmt::format("{}: cannot create: {}", path.parent_path().string(), error.message()));
    const std::size_t kept =
        last != nullptr && fs::exists(path) ? length_until(path.string(), header, *last) : 0;
    if (kept == 0)
      write_text(path.string(), header, last == nullptr ? "wx" : "w");
    else
      fs::resize_file(path, kept, error);
    if (error) throw Failure(fmt::format("{}: cannot shorten: {}", path.string(), error.message()));
    paths_.push_back(path.string());
  }
  pending_.resize(paths_.size());
}

void SampleFiles::add(const SampleRows& rows) {
  MEANDER_ASSERT(rows.size() == paths_.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (std::size_t i = 0; i < rows[n].size(); ++i) pending_[n] += (i == 0 ? "" : " ") + rows[n][i];
    if (!rows[n].empty()) pending_[n] += '\n';
  }
  if (std::chrono::steady_clock::now() - flushed_ > flush_interval) flush();
}

void SampleFiles::flush() {
  flushed_ = std::chrono::steady_clock::now();
  for (std::size_t n = 0; n < paths_.size(); ++n) {
    if (!pending_[n].empty()) write_text(paths_[n], pending_[n], "a");
    pending_[n].clear();
  }
}

}  // namespace meander::io
