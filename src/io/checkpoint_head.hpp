// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The head of a checkpoint: text in HDF5's user block. A file is verified against it before HDF5 opens it.
//
//   MEANDER CHECKPOINT 1       format version
//   length 123456              of the file, in bytes
//   rest 0123456789abcdef      checksum of everything but head and patch data
//   data 4096 65536            offset and bytes of the patches of a level; one line for each level
//   head 0123456789abcdef      checksum of the head above this line; the last line of the block

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/raw_file.hpp"

namespace meander::io {

inline constexpr int head_bytes = 512;
inline constexpr int checkpoint_format = 1;
inline constexpr std::size_t max_checkpoint_levels = 10;  // readers sort the names of levels as text

struct CheckpointHead {
  struct Region {
    std::int64_t offset = 0, bytes = 0;
    friend bool operator==(const Region&, const Region&) = default;
  };
  std::int64_t length = 0;
  std::uint64_t rest = 0;
  std::vector<Region> levels;

  template <class Archive>
  void archive(Archive& all) {
    all(length), all(rest), all(levels);
  }
  // The head as head_bytes characters.
  std::string text() const;
  // Whether a file that starts with `block` claims to be a checkpoint.
  static bool starts(std::string_view block);
  // Throws InputError with the defect, without the file's name: "is damaged (its head)".
  static CheckpointHead parse(std::string_view block);
};

// The file without its head and its patches is cut into pieces, which are dealt out to `parts` parts. Returns
// the sum, modulo 2^64, of the checksums of the pieces of one part; the sum over all parts is `rest`. Throws
// Failure.
std::uint64_t checksum_of_rest(const RawFile& file, const CheckpointHead& head, int part, int parts);

// The part of the file that a byte belongs to, for messages: "its head", "the patches of level_3" (levels
// numbered as in the file), "its tables".
std::string part_at(const CheckpointHead& head, std::int64_t offset);

}  // namespace meander::io
