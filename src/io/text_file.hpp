// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads whole files of users. Anything but a regular file is refused, since a pipe would make the program wait and a
// device would fill the memory.

#include <cstddef>
#include <string>

namespace meander::io {

inline constexpr std::size_t most_bytes_of_text = std::size_t{1} << 30;

// An open file descriptor, closed by the destructor.
class OpenFile {
 public:
  // Opens a regular file for reading, without waiting. Throws InputError that names it, if it does not exist, cannot
  // be opened, or is no regular file.
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// The first `bytes` bytes of a file, or all if it is shorter. Throws InputError.
std::string read_start(const std::string& path, std::size_t bytes);
// The whole file. Throws InputError, also if it has more than `most` bytes.
std::string read_text_file(const std::string& path, std::size_t most = most_bytes_of_text);
// Standard input to its end; the same text each time. Throws InputError if it has more than `most` bytes.
const std::string& read_standard_input(std::size_t most = most_bytes_of_text);

// The reason to refuse an open file that is no regular one: "is a directory", "is no regular file"; empty: it is one.
std::string why_irregular(int descriptor);

}  // namespace meander::io
