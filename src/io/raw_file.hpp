// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file by its bytes. Failures name it and the system's reason.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace meander::io {

class RawFile {
 public:
  enum class Access { read, write };  // write: an existing file, which may be read too
  // `shown`: what failures call it. Throws Failure.
  RawFile(const std::string& path, Access access, std::string shown);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  std::int64_t size() const;
  // All of `bytes`. Throws Failure, also where the file ends before.
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Gives all bytes of the file their place on the disk, as far as the file system can promise that, so that
  // a full disk shows before and not while they are written.
  void reserve();
  // To the disk.
  void flush();

 private:
  [[noreturn]] void fail(const std::string& what, int reason) const;

  std::string shown_;
  int descriptor_ = -1;
};

}  // namespace meander::io
