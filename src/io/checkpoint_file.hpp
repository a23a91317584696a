// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checkpoints: all data that the next step reads, in Chombo's HDF5 layout, which yt and VisIt open. A file
// holds leaves only and all unknowns and carried rows (PatchLayout) as float64. Boxes are in curve order; a box holds unknown after unknown,
// x fastest, without the halo.
//
// A file is created atomically and verified before its content is used. A head in HDF5's user block
// (CheckpointHead) holds the length of the file and a checksum over everything but the patch data. Each
// level has a checksum over its patches, which is independent of the partition. Files of different numbers of
// ranks differ only in the leaves' ranks and the checksums that include these.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files.hpp"
#include "io/plot_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// The state of a run except mesh and patch data.
struct CheckpointState {
  std::string input;     // the resolved input
  std::string equation;  // solver.equation; a restart with another one is refused
  std::int64_t step = 0;
  double time = 0, dt = 0;
  // Counters by name, which a restart continues: of updates, of plots, ... Names are unique; a reader
  // returns them sorted.
  std::vector<std::pair<std::string, std::int64_t>> counters;
  std::string file = {};  // that it was read from, for messages
};

// The mesh as in plot files, the rest of the domain and the names of the unknowns, then of the carried rows.
struct CheckpointMesh {
  PlotMesh mesh;  // with the leaves of this rank
  int base_cells[3] = {1, 1, 1};
  bool periodic[3] = {false, false, false};
  std::vector<std::string> unknowns;
};

// "chk_000042.hdf5"
std::string checkpoint_name(std::int64_t step);

// Writes the file under a temporary name, flushes it to the disk and renames it. patches[i] is the slot of
// leaf i of this rank. Throws parallel::AgreedFailure (one rank: Failure) that names the file and the
// system's reason; older files are then unchanged, and the new file is removed. Collective.
void write_checkpoint(const std::string& path, const parallel::Communicator& communicator,
                      const CheckpointMesh& mesh, std::span<const double* const> patches,
                      const CheckpointState& state);

// Reads a checkpoint.
class CheckpointReader {
 public:
  // Opens the file and verifies everything but the patch data. Throws InputError (several ranks:
  // parallel::AgreedInputError) that names the file and the defect: missing, a plot file, HDF5 of another
  // program, of a newer version, truncated (bytes present and expected), or damaged (which part). Collective.
  CheckpointReader(const std::string& path, const parallel::Communicator& communicator);
  ~CheckpointReader();

  const CheckpointState& state() const;
  // Without leaves; the layout has no halo.
  const CheckpointMesh& mesh() const;
  std::int64_t leaves() const;  // of all ranks
  int finest_level() const;

  // Leaves [begin, end) along the curve. Ranks may read different ranges. Collective.
  std::vector<PlotLeaf> read_leaves(std::int64_t begin, std::int64_t end);
  // Reads the interiors of leaves [begin, end) into slots of `layout`, whose halo may have any width.
  // Verifies the checksums of the levels, so that the ranges of all ranks must cover every leaf once. Throws
  // parallel::AgreedInputError that names the file and the damaged level, and Failure (several ranks:
  // parallel::AgreedFailure) if the file cannot be read. Collective.
  void read_patches(std::int64_t begin, std::int64_t end, const solvers::PatchLayout& layout,
                    std::span<double* const> patches);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

// The head of a checkpoint: text in HDF5's user block. A file is verified against it before HDF5 opens it.
//
//   MEANDER CHECKPOINT 1       format version
//   length 123456              of the file, in bytes
//   rest 0123456789abcdef      checksum of everything but head and patch data
//   data 4096 65536            offset and bytes of the patches of a level; one line for each level
//   head 0123456789abcdef      checksum of the head above this line; the last line of the block

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
