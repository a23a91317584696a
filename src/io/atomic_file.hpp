// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that are whole or not there: written under a temporary name, flushed to the disk, renamed.

#include <string>
#include <string_view>

namespace meander::io {

// Name under which `path` is written until it is whole: in the same directory, hidden from "*.vtkhdf".
std::string temporary_name(const std::string& path);

// Flushes `temporary` to the disk and gives it the name `path`, in place of what was there. Throws Failure.
void flush_and_rename(const std::string& temporary, const std::string& path);

// Writes a small file whole. Throws Failure, which leaves an old file of that name as it was.
void write_whole(const std::string& path, std::string_view text);

// Removes the file when it goes, unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : path_(path), name_(temporary_name(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  const std::string& name() const { return name_; }
  void flush_and_rename();

 private:
  std::string path_, name_;
  bool renamed_ = false;
};

}  // namespace meander::io
