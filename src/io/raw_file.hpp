// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads and writes the bytes of a file. Failures name the file and the system's reason.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace meander::io {

class RawFile {
 public:
  enum class Access { read, write };  // write: an existing file, which may be read too
  // `shown`: its name in messages. Throws Failure.
  RawFile(const std::string& path, Access access, std::string shown);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  std::int64_t size() const;
  // Reads all of `bytes`. Throws Failure, also if the file is too short.
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Allocates disk space for all bytes of the file, if the file system supports it, so that a full disk is
  // detected before the bytes are written.
  void reserve();
  // Flushes the file to the disk.
  void flush();

 private:
  [[noreturn]] void fail(const std::string& what, int reason) const;

  std::string shown_;
  int descriptor_ = -1;
};

}  // namespace meander::io
