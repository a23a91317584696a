// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checkpoints: all that the next step reads, in Chombo's HDF5 layout, which yt and VisIt open. Leaves only,
// all unknowns as float64, box after box in curve order, then unknown after unknown, x fastest: a patch
// without its halo.
//
// A file is whole or not there; and it is verified before any of it is believed: a head (in HDF5's user
// block, see checkpoint_head.hpp) names the length of the file and a checksum over all that is no patch data,
// and each level has a checksum over its patches that does not depend on who wrote them. The same bytes for
// any number of ranks, but for the leaves' ranks and what these change in checksums.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/plot_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// All of a run that is neither mesh nor patch data.
struct CheckpointState {
  std::string input;     // the resolved input
  std::string equation;  // "euler"; restarts with another one are refused
  std::int64_t step = 0;
  double time = 0, dt = 0;
  // Numbers to be continued, by name: counters of updates, of plots, ... Names are unique; a
  // reader gets them sorted.
  std::vector<std::pair<std::string, std::int64_t>> counters;
};

// The mesh, as for plots, and what else restores a domain.
struct CheckpointMesh {
  PlotMesh mesh;  // leaves: of this rank
  int base_cells[3] = {1, 1, 1};
  bool periodic[3] = {false, false, false};
  std::vector<std::string> unknowns;
};

// "chk_000042.hdf5"
std::string checkpoint_name(std::int64_t step);

// Writes the file under a temporary name, flushes it to the disk and renames it. patches[i] is the slot of
// leaf i of this rank. Throws parallel::AgreedFailure (one rank: Failure) that names the file and the
// system's reason; then all older files are as they were, and no part of the new one is left. Collective.
void write_checkpoint(const std::string& path, const parallel::Communicator& communicator,
                      const CheckpointMesh& mesh, std::span<const double* const> patches,
                      const CheckpointState& state);

// A checkpoint being read.
class CheckpointReader {
 public:
  // Opens and verifies all but the patch data. Throws InputError (several ranks: parallel::AgreedInputError)
  // that names the file and what is wrong: missing, a plot file, HDF5 of another program, of a newer version,
  // truncated (how many bytes of how many), or damaged (which part). Collective.
  CheckpointReader(const std::string& path, const parallel::Communicator& communicator);
  ~CheckpointReader();

  const CheckpointState& state() const;
  // `mesh.leaves` is empty, and the layout has no halo.
  const CheckpointMesh& mesh() const;
  std::int64_t leaves() const;  // of all ranks
  int finest_level() const;

  // Leaves [begin, end) along the curve. Collective; ranks may ask for different ones.
  std::vector<PlotLeaf> read_leaves(std::int64_t begin, std::int64_t end);
  // The interiors of leaves [begin, end) into slots laid out by `layout`, whose halo may be any. Verifies the
  // levels' checksums: together all ranks must ask for every leaf once. Throws parallel::AgreedInputError
  // that names the file and the damaged level, and Failure (several ranks: parallel::AgreedFailure) if the
  // file cannot be read. Collective.
  void read_patches(std::int64_t begin, std::int64_t end, const solvers::PatchLayout& layout,
                    std::span<double* const> patches);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace meander::io
