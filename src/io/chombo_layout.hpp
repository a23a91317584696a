// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The groups, attributes and datasets of a checkpoint, in Chombo's layout and in /meta: their creation and
// their offsets in the file.

#include <cstdint>
#include <span>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/leaf_tables.hpp"

namespace meander::io {

// File offsets of the datasets that the ranks write and read without HDF5.
struct CheckpointOffsets {
  struct Level {
    std::int64_t boxes = 0;  // [leaves] lo and hi of each axis, int32, in volumes of the level, inclusive
    std::int64_t processors = 0;    // [leaves] int32: ranks
    std::int64_t patch_starts = 0;  // [leaves + 1] int64: index of the first value of each patch in the level
    std::int64_t patches = 0;       // [leaves * patch_values] float64
  };
  PatchTables tables;
  std::int64_t checksums = 0;  // [levels] uint64
  std::vector<Level> levels;

  template <class Archive>
  void archive(Archive& all) {
    all(tables);
    all(checksums);
    all(levels);
  }
};

// Number of values of a patch in the file.
std::int64_t patch_values(const solvers::PatchLayout& layout);

// Creates the file's layout and writes everything but the values of those datasets.
CheckpointOffsets create_checkpoint(hdf5::Writer& file, const CheckpointMesh& mesh,
                                    std::span<const LevelRows> levels, const CheckpointState& state);

// The content that create_checkpoint() writes. `leaves`: number by level.
struct CheckpointContent {
  CheckpointState state;
  CheckpointMesh mesh;
  CheckpointOffsets offsets;
  int coarsest_level = 0;
  std::vector<std::int64_t> leaves;

  template <class Archive>
  void archive(Archive& all) {
    all(state.input), all(state.equation), all(state.step), all(state.time), all(state.dt);
    all(state.counters);
    all(mesh.mesh.layout), all(mesh.mesh.lower), all(mesh.mesh.base_level), all(mesh.mesh.base_width);
    all(mesh.base_cells), all(mesh.periodic), all(mesh.unknowns);
    offsets.archive(all);
    all(coarsest_level), all(leaves);
  }
};
// Reads a verified file. Throws Failure that names it.
CheckpointContent read_checkpoint(const std::string& path);

}  // namespace meander::io
