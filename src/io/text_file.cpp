// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

}  // namespace

std::string why_irregular(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory";
  return S_ISREG(status.st_mode) ? "" : "is no regular file";
}

OpenFile::OpenFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
  const std::string why = why_irregular(descriptor_);
  if (why.empty()) return;
  ::close(descriptor_);
  throw InputError(fmt::format("{}: {}", path, why));
}

OpenFile::~OpenFile() {
  ::close(descriptor_);
}

std::string read_start(const std::string& path, std::size_t bytes) {
  return read_bytes(path, OpenFile(path).descriptor(), bytes);
}

std::string read_text_file(const std::string& path, std::size_t most) {
  const OpenFile file(path);
  struct stat status {};
  if (::fstat(file.descriptor(), &status) == 0 && status.st_size > static_cast<off_t>(most))
    throw InputError(fmt::format("{}: is larger than {} bytes", path, most));
  return read_all(path, file.descriptor(), most);
}

const std::string& read_standard_input(std::size_t most) {
  static std::optional<std::string> text;
  if (!text) text = read_all("standard input", STDIN_FILENO, most);
  return *text;
}

}  // namespace meander::io
