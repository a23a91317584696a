// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output directory of a run, which must be new or empty, and is locked.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/directory_lock.hpp"

namespace meander::io {

class OutputDirectory {
 public:
  // Creates the directory and its missing parents, and locks it. Throws InputError if it is not empty, in use,
  // or cannot be created or written; created directories are then removed.
  explicit OutputDirectory(std::string path);
  // Removes the lock, and those created directories that are still empty: a run that fails before its first file leaves no
  // trace.
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  const std::string& path() const { return path_; }
  const DirectoryLock& lock() const { return *lock_; }
  // Path of a file in it.
  std::string file(const std::string& name) const;

 private:
  void create();
  void remove_empty() noexcept;

  std::string path_;
  std::vector<std::string> created_;  // outermost first
  std::optional<DirectoryLock> lock_;
};

// The regular files in a directory, sorted by name. Throws Failure if it cannot be read.
std::vector<std::filesystem::path> regular_files(const std::string& directory);

}  // namespace meander::io
