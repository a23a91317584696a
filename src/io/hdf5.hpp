// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// HDF5's C library with owned handles. Failures become meander::Failure with the file's name and the system's
// reason ("No space left on device").

#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace meander::io::hdf5 {

// An HDF5 identifier that its destructor closes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }

  hid_t get() const { return id_; }
  // The return code of the closing call; 0 if there was nothing to close.
  herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Writes a file. All failures name it.
class Writer {
 public:
  // Creates the file, replacing an existing one. `shown`: its name in messages. `user_block`: leading bytes
  // that HDF5 does not use, 0 or a power of two >= 512.
  Writer(const std::string& path, std::string shown, int user_block = 0);

  Handle create_group(const std::string& path);
  Handle root() const;

  void attribute(const Handle& object, const std::string& name, std::span<const double> values);
  void attribute(const Handle& object, const std::string& name, std::span<const std::int64_t> values);
  void attribute(const Handle& object, const std::string& name, double value);
  void attribute(const Handle& object, const std::string& name, std::int64_t value);
  // A string of fixed length, which VTK requires for its type.
  void attribute(const Handle& object, const std::string& name, const std::string& value);
  // One value of any type.
  void attribute(const Handle& object, const std::string& name, hid_t type, const void* value);

  // A string of any length as a scalar dataset.
  void text(const Handle& group, const std::string& name, const std::string& value);

  // Creates a contiguous dataset of rows x columns (columns 0: one-dimensional) without writing its values.
  // Returns its offset in the file. rows > 0.
  std::int64_t allocate(const Handle& group, const std::string& name, hid_t type, std::int64_t rows,
                        int columns = 0);

  // Writes buffered data and closes the file. Without it the destructor closes the file and ignores failures.
  void close();

 private:
  Handle checked(hid_t id, Handle::Close closer, const std::string& what) const;
  void check(herr_t code, const std::string& what) const;
  void attribute(const Handle& object, const std::string& name, hid_t file_type, hid_t memory_type,
                 std::size_t count, const void* values);

  Handle dataset_creation(const std::string& what) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string shown_;
  std::unique_ptr<int> first_errno_;  // of the file driver; outlives file_
  Handle file_;
};

// Reads a small HDF5 file, or the small parts of a large one. The file must have been verified: HDF5 1.10 may
// crash on a damaged file. Features that this program never writes are refused.

class Reader {
 public:
  // All functions throw Failure that names the file and the missing object. `shown`: the file's name in
  // messages.
  Reader(const std::string& path, std::string shown);

  std::vector<std::int64_t> integers(const std::string& object, const std::string& attribute) const;
  std::vector<double> numbers(const std::string& object, const std::string& attribute) const;
  std::int64_t integer(const std::string& object, const std::string& attribute) const;
  // An integer within [least, greatest], so that loops and sums can rely on it. `most` bounds all sizes of a
  // mesh except the number of leaves.
  static constexpr int most = 10000;
  int integer(const std::string& object, const std::string& name, int least, int greatest) const;
  // Lists of `count` entries.
  std::vector<std::int64_t> integers(const std::string& object, const std::string& name,
                                     std::size_t count) const;
  std::vector<double> numbers(const std::string& object, const std::string& name, std::size_t count) const;
  double number(const std::string& object, const std::string& attribute) const;
  std::string text(const std::string& object, const std::string& attribute) const;
  // Sorted.
  std::vector<std::string> attribute_names(const std::string& object) const;

  bool has(const std::string& object) const;  // a path of groups and datasets
  // Names of the groups and datasets in a group, sorted.
  std::vector<std::string> names(const std::string& group) const;
  // All values of a dataset of numbers, in order.
  std::vector<double> values(const std::string& dataset) const;

  // A scalar dataset that is a string.
  std::string text(const std::string& dataset) const;
  // File offset of the values of a contiguous dataset.
  std::int64_t offset(const std::string& dataset) const;
  std::int64_t rows(const std::string& dataset) const;

  // The place and shape of the values of a dataset, for reading without HDF5.
  struct Stored {
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape;
    int float_bytes = 0;  // 4 or 8: little-endian floating-point numbers; 0: another type
  };
  Stored stored(const std::string& dataset) const;

 private:
  Handle checked(hid_t id, Handle::Close closer, const std::string& what) const;
  void check(herr_t code, const std::string& what) const;
  void refuse_if(const std::string& why, const std::string& what) const;  // unless `why` is empty
  void follow(const std::string& path) const;  // throws unless all links on the path are hard
  Handle attribute(const std::string& object, const std::string& name) const;
  Handle dataset(const std::string& path) const;

  std::string shown_;
  std::unique_ptr<int> first_errno_;  // of the file driver; outlives file_
  Handle file_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace meander::io::hdf5
