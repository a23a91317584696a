// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace meander::io {

namespace {

[[noreturn]] void cannot(const std::string& path, const char* what) {
  throw Failure(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

void flush(const std::string& path, int flags) {
  const Descriptor file{::open(path.c_str(), flags | O_CLOEXEC)};
  if (file.value < 0) cannot(path, "open");
  // Some file systems cannot flush a directory (EINVAL).
  if (::fsync(file.value) != 0 && errno != EINVAL) cannot(path, "flush");
}

}  // namespace

std::string temporary_name(const std::string& path) {
  return path + ".part";
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) cannot(to, "rename a file to it");
  const auto directory = std::filesystem::path(to).parent_path();
  flush(directory.empty() ? "." : directory.string(), O_RDONLY | O_DIRECTORY);
}

void flush_and_rename(const std::string& temporary, const std::string& path) {
  flush(temporary, O_WRONLY);
  rename_durably(temporary, path);
}

void write_whole(const std::string& path, std::string_view text) {
  TemporaryFile temporary(path);
  {
    const Descriptor file{::open(temporary.name().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.value < 0) cannot(path, "create");
    while (!text.empty()) {
      const ssize_t written = ::write(file.value, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) cannot(path, "write");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  temporary.flush_and_rename();
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) ::unlink(name_.c_str());
}

void TemporaryFile::flush_and_rename() {
  io::flush_and_rename(name_, path_);
  renamed_ = true;
}

}  // namespace meander::io
