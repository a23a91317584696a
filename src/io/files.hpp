// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files of the system: read whole, read and written by bytes, and created atomically. Anything but a regular file is
// refused, since a pipe would make the program wait and a device would fill the memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace meander::io {

// Files of users.

inline constexpr std::size_t most_bytes_of_text = std::size_t{1} << 30;

// "512 bytes", "1.5 kB", up to PB, by powers of 1000.
std::string size_text(double bytes);

// An open file descriptor, which the destructor closes; negative: none.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Opens a regular file for reading, without waiting. Throws InputError that names it, if it does not exist, cannot
// be opened, or is no regular file.
Descriptor open_regular(const std::string& path);

// The first `bytes` bytes of a file, or all if it is shorter. Throws InputError.
std::string read_start(const std::string& path, std::size_t bytes);
// The whole file. Throws InputError, also if it has more than `most` bytes.
std::string read_text_file(const std::string& path, std::size_t most = most_bytes_of_text);
// Standard input to its end; the same text each time. Throws InputError if it has more than `most` bytes.
const std::string& read_standard_input(std::size_t most = most_bytes_of_text);

// Reads and writes the bytes of a file. Failures name the file and the system's reason.
class RawFile {
 public:
  enum class Access { read, write };  // write: an existing file, which may be read too
  // `shown`: its name in messages. Throws Failure.
  RawFile(const std::string& path, Access access, std::string shown);

  std::int64_t size() const;
  // Reads all of `bytes`. Throws Failure, also if the file is too short.
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Allocates disk space for all bytes of the file, if the file system supports it, so that a full disk is
  // detected before the bytes are written.
  void reserve();
  // Flushes the file to the disk.
  void flush();

 private:
  [[noreturn]] void fail(const std::string& what, int reason) const;

  std::string shown_;
  Descriptor descriptor_;
};

// Atomic file creation: a file is written under a temporary name, flushed to the disk and renamed. A file
// under its own name is therefore complete.

// The temporary name of `path` until the file is complete: "PATH.part", which "*.vtkhdf" does not match.
std::string temporary_name(const std::string& path);

// Flushes a file to the disk: an existing one, or an open one with its name in messages. Throws Failure.
void flush_to_disk(const std::string& path);
void flush_to_disk(int descriptor, const std::string& path);

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
