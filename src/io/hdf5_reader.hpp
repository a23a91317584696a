// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads a small HDF5 file, or the small parts of a large one. The file must have been verified: HDF5 1.10 may
// crash on a damaged file. Features that this program never writes are refused.

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace meander::io::hdf5 {

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
