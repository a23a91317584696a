// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/raw_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "io/text_file.hpp"

namespace meander::io {

namespace {

constexpr std::size_t most = std::size_t{1} << 30;  // Linux moves at most 2 GiB in one call

}  // namespace

RawFile::RawFile(const std::string& path, Access access, std::string shown)
    : shown_(std::move(shown)),
      descriptor_(::open(path.c_str(),
                         (access == Access::read ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail("open", errno);
  const std::string why = why_irregular(descriptor_);
  if (why.empty()) return;
  ::close(descriptor_);
  throw Failure(fmt::format("{}: {}", shown_, why));
}

RawFile::~RawFile() {
  ::close(descriptor_);
}

void RawFile::fail(const std::string& what, int reason) const {
  throw Failure(fmt::format("{}: cannot {}: {}", shown_, what, std::strerror(reason)));
}

std::int64_t RawFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("read its size", errno);
  return status.st_size;
}

void RawFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), std::min(bytes.size(), most), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", errno);
    if (got == 0) throw Failure(fmt::format("{}: cannot read: it ends at byte {}", shown_, offset));
    offset += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void RawFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), most), offset);
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
    code = ::fallocate(descriptor_, 0, 0, bytes);
  } while (code != 0 && errno == EINTR);
  if (code == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return;
  fail(fmt::format("write its {} bytes", bytes), errno);
}

void RawFile::flush() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("flush", errno);
}

}  // namespace meander::io
