// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The group /meta of plot files and checkpoints: the origin of the file, and level, index and rank of every
// patch along the curve.

#include <cstdint>

#include "io/hdf5.hpp"
#include "io/level_rows.hpp"
#include "io/parallel_file.hpp"
#include "io/plot_file.hpp"

namespace meander::io {

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
void write_patch_tables(ParallelFile& file, const PlotMesh& mesh, const PatchTables& tables,
                        const parallel::Communicator& communicator);

}  // namespace meander::io
