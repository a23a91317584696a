// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The content of a plot file in a few figures, for `meander info`.

#include <cstdint>
#include <string>
#include <vector>

namespace meander::io {

// The program that wrote a file, from /meta of plot files and checkpoints.
struct FileOrigin {
  std::string version, git_hash, compiler, build_type;
  bool modified = false;
  std::string line() const;  // "meander 0.1.0 (4f2a91c03b, modified), GNU 12.2.0, Release"
};

struct LevelFacts {
  int level = 0;  // of the spacetree
  std::int64_t leaves = 0;
  double spacing = 0;  // width of a volume
};

struct FieldFacts {
  std::string name;
  int components = 1;
  double min = 0, max = 0;  // of finite values; of the magnitude if there are several components
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

// Reads the file in this process; unverified files are read in another one (subprocess.hpp). Throws
// InputError that names the file if it is HDF5 of another program or incomplete, and Failure.
PlotFacts read_plot_facts(const std::string& path);

// Reads a verified file. Throws Failure.
FileOrigin read_file_origin(const std::string& path);

}  // namespace meander::io
