// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output directory of a run, which must be new or empty.

#include <string>
#include <vector>

namespace meander::io {

class OutputDirectory {
 public:
  // Creates the directory and its missing parents, and checks that it is writable. Throws InputError if it is
  // not empty, or cannot be created or written; created directories are then removed.
  explicit OutputDirectory(std::string path);
  // Removes those created directories that are still empty: a run that fails before its first file leaves no
  // trace.
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Path of a file in it.
  std::string file(const std::string& name) const;

 private:
  void create();
  void remove_empty() noexcept;

  std::string path_;
  std::vector<std::string> created_;  // outermost first
};

}  // namespace meander::io
