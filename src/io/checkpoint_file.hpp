// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checkpoints: all data that the next step reads, in Chombo's HDF5 layout, which yt and VisIt open. A file
// holds leaves only and all unknowns as float64. Boxes are in curve order; a box holds unknown after unknown,
// x fastest, without the halo.
//
// A file is created atomically and verified before its content is used. A head in HDF5's user block
// (checkpoint_head.hpp) holds the length of the file and a checksum over everything but the patch data. Each
// level has a checksum over its patches, which is independent of the partition. Files of different numbers of
// ranks differ only in the leaves' ranks and the checksums that include these.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// The mesh as in plot files, the rest of the domain and the names of the unknowns.
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

}  // namespace meander::io
