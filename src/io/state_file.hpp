// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file as the source of a state: named fields on blocks of volumes. The file is a plot file (float32 or float64), a
// checkpoint, or a uniform array: an HDF5 file with the datasets x, y (and z in 3D) of equidistant centres of volumes and
// fields of shape (nz, ny, nx), in 2D (ny, nx).
//
// HDF5 1.10 may crash on a damaged file, so a process of its own reads the file's tables (subprocess.hpp). Values are then
// read by their offsets, without HDF5.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// The tables of a file.
struct StateTables {
  enum class Kind : std::int32_t { plot, checkpoint, array };
  // Volumes in a box. Blocks of a level have the same number of volumes, but for those at the upper end of an array.
  struct Block {
    std::int32_t level = 0;              // index in `widths`
    std::int32_t origin[3] = {0, 0, 0};  // first volume, in volumes of the level, counted from `lower`
    std::int64_t row = 0;                // number among the blocks of the level
  };
  // The place of a field's values on a level.
  struct Source {
    std::int64_t offset = 0, of_block = 0, stride[3] = {0, 0, 0};  // in bytes
    std::int32_t bytes = 8;                                        // of a number
  };

  Kind kind = Kind::plot;
  int dim = 3;
  std::array<double, 3> lower{};
  std::array<std::int32_t, 3> size{1, 1, 1};    // volumes of a block
  std::array<std::int32_t, 3> extent{0, 0, 0};  // volumes of an array; 0: none
  std::vector<std::array<double, 3>> widths;    // of volumes, by level
  std::vector<Block> blocks;
  std::vector<std::string> names;  // of the fields; a vector `v` gives v_x, v_y and in 3D v_z
  std::vector<Source> sources;     // [level][field]
  std::vector<std::pair<std::string, std::string>> unfit;  // other datasets, each with the reason
  std::vector<std::uint64_t> checksums;                    // of the levels of a checkpoint

  template <class Archive>
  void archive(Archive& all) {
    all(kind), all(dim), all(lower), all(size), all(extent), all(widths), all(blocks), all(names);
    all(sources), all(unfit), all(checksums);
  }
};

class StateFile {
 public:
  // The root reads the tables. Throws InputError (several ranks: parallel::AgreedInputError) that names the file and the
  // defect. Collective.
  StateFile(std::string path, const parallel::Communicator& communicator);

  const std::string& path() const { return path_; }
  const StateTables& tables() const { return tables_; }
  std::size_t blocks() const { return tables_.blocks.size(); }

  // A block's box.
  struct Geometry {
    double lower[3] = {0, 0, 0}, width[3] = {1, 1, 1};  // of the box and of a volume
    int size[3] = {1, 1, 1};                            // volumes
    double upper(int axis) const { return lower[axis] + size[axis] * width[axis]; }
    int volumes() const { return size[0] * size[1] * size[2]; }
  };
  Geometry geometry(std::size_t block) const;

  // Reads fields, given by their index in tables().names: values[volume * fields.size() + n], x fastest. Any thread may call
  // it. Throws Failure.
  void read(std::size_t block, std::span<const std::size_t> fields, std::span<double> values) const;

  // Compares the values of a checkpoint with its checksums; each rank reads a share. Throws as the constructor. Collective.
  void verify(const parallel::Communicator& communicator) const;

 private:
  std::string path_;
  StateTables tables_;
  std::unique_ptr<RawFile> file_;
};

}  // namespace meander::io
