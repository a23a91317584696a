// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/assert.hpp"
#include "base/error.hpp"

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

void create_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Failure(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
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

SampleFiles::SampleFiles(const std::string& directory, std::span<const SampleFile> files)
    : pending_(files.size()) {
  for (const SampleFile& file : files) {
    const std::string& path = paths_.emplace_back((fs::path(directory) / file.name).string());
    create_folder_of(path);
    write_text(path, commented(file.header), "wx");
  }
}

KeptRows SampleFiles::kept(const std::string& directory, const SampleFile& file, double last) {
  return {(fs::path(directory) / file.name).string(), commented(file.header), RowFormat::samples, last};
}

SampleFiles::SampleFiles(std::span<const KeptRows> kept) : pending_(kept.size()) {
  for (const KeptRows& rows : kept) {
    create_folder_of(paths_.emplace_back(rows.path()));
    rows.cut();
  }
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
