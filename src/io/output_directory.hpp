// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The directory a run writes into: never one that holds something already.

#include <string>
#include <vector>

namespace meander::io {

class OutputDirectory {
 public:
  // Creates the directory and those above it, and tries to write there. Throws InputError if it exists and is
  // not empty, or cannot be created or written; then nothing is left behind.
  explicit OutputDirectory(std::string path);
  // Removes what the constructor created, as far as it is still empty: a run that fails before its first file
  // leaves nothing behind.
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
