// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace meander::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(
      fmt::format("{}: {}; choose another output directory with --output or output.directory", path, why));
}

// Lock files may exist: of a run that has not written yet, or was killed before.
void require_empty(const std::string& path) {
  std::error_code error;
  bool empty = true;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(DirectoryLock::file_name)) empty = false;
  }
  if (error) refuse(path, "cannot be read (" + error.message() + ")");
  if (!empty) refuse(path, "exists and is not empty");
}

}  // namespace

OutputDirectory::OutputDirectory(std::string path) : path_(std::move(path)) {
  try {
    create();
  } catch (...) {
    lock_.reset();
    remove_empty();
    throw;
  }
}

OutputDirectory::~OutputDirectory() {
  lock_.reset();
  remove_empty();
}

std::string OutputDirectory::file(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

void OutputDirectory::create() {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) refuse(path_, "exists and is no directory");
    require_empty(path_);
  }
  fs::path current;
  for (const fs::path& part : fs::path(path_)) {
    current /= part;
    if (::mkdir(current.c_str(), 0777) == 0) {
      created_.push_back(current.string());
    } else if (const int reason = errno; !fs::is_directory(current, error)) {
      refuse(path_, fmt::format("cannot be created ({}: {})", current.string(),
                                std::strerror(reason == EEXIST ? ENOTDIR : reason)));
    }
  }
  try {
    lock_.emplace(path_);
  } catch (const DirectoryLock::Impossible& impossible) {
    refuse(path_, fmt::format("cannot be written ({})", impossible.what()));
  }
  require_empty(path_);  // another run may have written and ended meanwhile
}

void OutputDirectory::remove_empty() noexcept {
  // rmdir removes empty directories only.
  for (auto path = created_.rbegin(); path != created_.rend() && ::rmdir(path->c_str()) == 0; ++path) {
  }
}

std::vector<fs::path> regular_files(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) throw Failure(fmt::format("{}: cannot be read: {}", directory, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace meander::io
