// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace

OutputDirectory::OutputDirectory(std::string path) : path_(std::move(path)) {
  try {
    create();
  } catch (...) {
    remove_empty();
    throw;
  }
}

OutputDirectory::~OutputDirectory() {
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
    const bool empty = fs::is_empty(path_, error);
    if (error) refuse(path_, "cannot be read (" + error.message() + ")");
    if (!empty) refuse(path_, "exists and is not empty");
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
  const std::string probe = file(".meander-write-test");
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse(path_, fmt::format("cannot be written ({})", std::strerror(errno)));
  ::close(descriptor);
  ::unlink(probe.c_str());
}

void OutputDirectory::remove_empty() noexcept {
  // rmdir removes empty directories only.
  for (auto path = created_.rbegin(); path != created_.rend() && ::rmdir(path->c_str()) == 0; ++path) {
  }
}

}  // namespace meander::io
