// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The head of a checkpoint: text in HDF5's user block, by which a file is verified before HDF5 sees it.
//
//   MEANDER CHECKPOINT 1       format version
//   length 123456              of the file, in bytes
//   rest 0123456789abcdef      checksum of all that is neither head nor patch data
//   data 4096 65536            where the patches of a level are, and how many bytes; level after level
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
  // head_bytes characters.
  std::string text() const;
  // Whether a file that starts like this is meant to be a checkpoint.
  static bool starts(std::string_view block);
  // Throws InputError that says what is wrong with a block that is no head of ours: "is damaged (its head)".
  static CheckpointHead parse(std::string_view block);
};

// The sum, modulo 2^64, of the checksums of some pieces of the file without its head and its patches: those
// of all `parts` sum up to `rest`. Throws Failure.
std::uint64_t checksum_of_rest(const RawFile& file, const CheckpointHead& head, int part, int parts);

// The part of the file a byte belongs to, for messages: "its head", "the patches of level_3" (as the file
// counts levels), "its tables".
std::string part_at(const CheckpointHead& head, std::int64_t offset);

}  // namespace meander::io
