// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A directory for the files of a test on several ranks, and the text of a file.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {

// A directory for all ranks, removed at the end.
class Directory {
 public:
  explicit Directory(const std::string& name) {
    pid_t root = getpid();  // other tests may run at the same time
    world().broadcast(root);
    path_ = std::filesystem::temp_directory_path() / (name + "-" + std::to_string(root));
    if (world().is_root()) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    world().barrier();
  }
  ~Directory() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace meander::simulation
