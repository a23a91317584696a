// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Atomic file creation: a file is written under a temporary name, flushed to the disk and renamed. A file
// under its own name is therefore complete.

#include <string>
#include <string_view>

namespace meander::io {

// The temporary name of `path` until the file is complete: "PATH.part", which "*.vtkhdf" does not match.
std::string temporary_name(const std::string& path);

// Renames `from`, replacing an existing file, and flushes the directory to the disk. Throws Failure.
void rename_durably(const std::string& from, const std::string& to);

// Flushes `temporary` to the disk and renames it to `path`, replacing an existing file. Throws Failure.
void flush_and_rename(const std::string& temporary, const std::string& path);

// Writes a small file atomically. Throws Failure; an existing file of that name is then unchanged.
void write_whole(const std::string& path, std::string_view text);

// The temporary name of a file. The destructor removes the file unless it was renamed.
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
