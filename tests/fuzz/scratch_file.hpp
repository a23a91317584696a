// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A directory in memory for the files that a fuzz target passes to a reader; one per process, removed at its
// end.

#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace meander::fuzz {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern =
        std::filesystem::exists("/dev/shm") ? "/dev/shm/meander-fuzz-XXXXXX" : "/tmp/meander-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string file = path_ + '/' + name;
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    if (stream == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), stream) != bytes.size() ||
        std::fclose(stream) != 0) {
      std::abort();
    }
    return file;
  }

 private:
  std::string path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A property that must hold for every input; the fuzzer stores inputs that violate it.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace meander::fuzz
