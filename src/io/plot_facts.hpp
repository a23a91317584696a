// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a plot file says of itself.

#include <cstdint>
#include <string>
#include <vector>

namespace meander::io {

// From /meta, which checkpoints have too.
struct FileOrigin {
  std::string version, git_hash, compiler, build_type;
  bool modified = false;
  std::string line() const;  // "meander 0.1.0 (4f2a91c03b, modified), GNU 12.2.0, Release"
};

struct LevelFacts {
  int level = 0;  // the spacetree's
  std::int64_t leaves = 0;
  double spacing = 0;  // width of a volume
};

struct FieldFacts {
  std::string name;
  int components = 1;
  double min = 0, max = 0;  // of finite values; of the magnitude, where it has several components
  std::int64_t not_finite = 0;
};

struct PlotFacts {
  FileOrigin origin;
  std::string input;  // the resolved input
  std::int64_t step = 0;
  double time = 0;
  int dimensions = 0, patch_size = 0;
  std::vector<LevelFacts> levels;
  std::vector<FieldFacts> fields;
};

// Reads the file at once into this process: see subprocess.hpp. Throws InputError that names the file if it is
// HDF5 of another program or lacks a part, and Failure.
PlotFacts read_plot_facts(const std::string& path);

// Of a file that has been verified. Throws Failure.
FileOrigin read_file_origin(const std::string& path);

}  // namespace meander::io
