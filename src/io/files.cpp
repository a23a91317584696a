// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.hpp"

namespace meander::io {

namespace {

// Reads up to `most` bytes.
std::string read_bytes(const std::string& name, int descriptor, std::size_t most) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string text;
  while (text.size() < most) {
    const std::size_t had = text.size();
    text.resize(had + std::min(piece, most - had));
    const ssize_t got = ::read(descriptor, text.data() + had, text.size() - had);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    if (got < 0 && errno != EINTR) throw InputError(fmt::format("{}: {}", name, std::strerror(errno)));
    if (got == 0) break;
  }
  return text;
}

std::string read_all(const std::string& name, int descriptor, std::size_t most) {
  std::string text = read_bytes(name, descriptor, most + 1);
  if (text.size() > most) throw InputError(fmt::format("{}: is larger than {} bytes", name, most));
  return text;
}

// The reason to refuse an open file that is no regular one; empty: it is one.
std::string why_irregular(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory";
  return S_ISREG(status.st_mode) ? "" : "is no regular file";
}

}  // namespace

std::string size_text(double bytes) {
  constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  constexpr double most = 999.5;  // more would be printed as 1e+03
  int unit = 0;
  for (; bytes >= most && unit < 5; ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Descriptor open_regular(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (const std::string why = why_irregular(file.get()); !why.empty())
    throw InputError(fmt::format("{}: {}", path, why));
  return file;
}

std::string read_start(const std::string& path, std::size_t bytes) {
  return read_bytes(path, open_regular(path).get(), bytes);
}

std::string read_text_file(const std::string& path, std::size_t most) {
  const Descriptor file = open_regular(path);
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > static_cast<off_t>(most))
    throw InputError(fmt::format("{}: is larger than {} bytes", path, most));
  return read_all(path, file.get(), most);
}

const std::string& read_standard_input(std::size_t most) {
  static std::optional<std::string> text;
  if (!text) text = read_all("standard input", STDIN_FILENO, most);
  return *text;
}

namespace {

constexpr std::size_t most = std::size_t{1} << 30;  // Linux moves at most 2 GiB in one call

}  // namespace

RawFile::RawFile(const std::string& path, Access access, std::string shown)
    : shown_(std::move(shown)),
      descriptor_(::open(path.c_str(),
                         (access == Access::read ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (descriptor_.get() < 0) fail("open", errno);
  if (const std::string why = why_irregular(descriptor_.get()); !why.empty())
    throw Failure(fmt::format("{}: {}", shown_, why));
}

void RawFile::fail(const std::string& what, int reason) const {
  throw Failure(fmt::format("{}: cannot {}: {}", shown_, what, std::strerror(reason)));
}

std::int64_t RawFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) fail("read its size", errno);
  return status.st_size;
}

void RawFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_.get(), bytes.data(), std::min(bytes.size(), most), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", errno);
    if (got == 0) throw Failure(fmt::format("{}: cannot read: it ends at byte {}", shown_, offset));
    offset += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void RawFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_.get(), bytes.data(), std::min(bytes.size(), most), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("write", errno);
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void RawFile::reserve() {
  const std::int64_t bytes = size();
  int code = 0;
  do {
    code = ::fallocate(descriptor_.get(), 0, 0, bytes);
  } while (code != 0 && errno == EINTR);
  if (code == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return;
  fail(fmt::format("write its {} bytes", bytes), errno);
}

void RawFile::flush() {
  if (::fsync(descriptor_.get()) != 0 && errno != EINVAL) fail("flush", errno);
}

namespace {

[[noreturn]] void cannot(const std::string& path, const char* what) {
  throw Failure(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

void flush(const std::string& path, int flags) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (file.get() < 0) cannot(path, "open");
  flush_to_disk(file.get(), path);
}

}  // namespace

std::string temporary_name(const std::string& path) {
  return path + ".part";
}

void flush_to_disk(const std::string& path) {
  flush(path, O_WRONLY);
}

void flush_to_disk(int descriptor, const std::string& path) {
  // Some file systems cannot flush a directory (EINVAL).
  if (::fsync(descriptor) != 0 && errno != EINVAL) cannot(path, "flush");
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) cannot(to, "rename a file to it");
  const auto directory = std::filesystem::path(to).parent_path();
  flush(directory.empty() ? "." : directory.string(), O_RDONLY | O_DIRECTORY);
}

void flush_and_rename(const std::string& temporary, const std::string& path) {
  flush_to_disk(temporary);
  rename_durably(temporary, path);
}

void write_whole(const std::string& path, std::string_view text) {
  TemporaryFile temporary(path);
  {
    const Descriptor file(::open(temporary.name().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) cannot(path, "create");
    while (!text.empty()) {
      const ssize_t written = ::write(file.get(), text.data(), text.size());
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
