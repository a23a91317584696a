// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tables of leaves in plot files and checkpoints.

#include <cstdint>
#include <span>
#include <vector>

#include "io/collective_file.hpp"
#include "io/hdf5.hpp"
#include "io/plot_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// The rows of a rank's leaves in tables that are ordered by level, then along the curve.
struct LevelRows {
  int level = 0;                    // of the spacetree
  std::int64_t all = 0;             // number of leaves of all ranks
  std::int64_t first = 0;           // row of this rank's first leaf, after those of lower ranks
  std::vector<std::size_t> leaves;  // indices among this rank's leaves

  std::int64_t rows() const { return static_cast<std::int64_t>(leaves.size()); }
};

// All levels from the coarsest to the finest that have leaves. `first` and `leaves` differ between ranks.
// Throws Failure (several ranks: parallel::AgreedFailure) that names `path` if there is no leaf, or if a
// level in between has none, which readers cannot handle. Collective.
std::vector<LevelRows> level_rows(const std::string& path, std::span<const PlotLeaf> leaves,
                                  const parallel::Communicator& communicator);

// The group /meta of all files of a run, with the program that wrote it, step and time.
hdf5::Handle create_origin_group(hdf5::Writer& file, std::int64_t step, double time);

// That of plot files and checkpoints, in addition: level, index and rank of every patch along the curve.

// File offsets of the tables of patches.
struct PatchTables {
  std::int64_t level = 0;  // [leaves] int32
  std::int64_t index = 0;  // [leaves, dim] int32: the leaf's position in leaves of its level
  std::int64_t rank = 0;   // [leaves] int32
};

// Creates the group with its attributes and text, and the tables without their rows.
hdf5::Handle create_meta_group(hdf5::Writer& file, const PlotMesh& mesh, std::span<const LevelRows> levels,
                               const PlotMeta& meta, PatchTables& tables);

// Writes the rows of all ranks. Collective.
void write_patch_tables(CollectiveFile& file, const PlotMesh& mesh, const PatchTables& tables,
                        const parallel::Communicator& communicator);

}  // namespace meander::io
