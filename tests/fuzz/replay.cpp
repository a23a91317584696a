// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Main program of a fuzz target without a fuzzer: runs the target once on every file of the directories that
// are its arguments. A directory without files is an error.
#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} DIRECTORY...\n", argv[0]);
    return 2;
  }
  std::set<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::size_t before = files.size();
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i], unreadable)) {
      files.insert(entry.path());
    }
    if (files.size() == before) {
      fmt::print(stderr, "{}: no files to replay\n", argv[i]);
      return 1;
    }
  }
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", path.string(), error.what());
      return 1;
    }
  }
  fmt::print("{} inputs\n", files.size());
  return 0;
}
