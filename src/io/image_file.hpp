// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files of output in the run, by one process: images on uniform pixels and lists of cells, in VTKHDF 1.0. Their bytes do
// not depend on ranks, threads and devices.
//
// An image is an OverlappingAMR of one level and one box, as plot files of many: the reader of ParaView 5.11 crashes on a
// flat ImageData, and reads no values of its cells. Along an axis where the image is flat, the box has one pixel of the
// width of the narrowest edge of the others. Lists of cells are of the type UnstructuredGrid.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/plot_file.hpp"

namespace meander::io {

struct ImageMesh {
  std::array<std::int64_t, 3> pixels{};  // along each axis; 0: the image is flat there
  std::array<double, 3> lower{}, spacing{};

  std::size_t size() const;
  // Along an axis; 1 where it is flat.
  std::size_t along(std::size_t axis) const;
};

// Cells of two corners (lines) or four (quadrilaterals, in order around the cell).
struct CellMesh {
  int corners = 4;
  std::vector<std::array<double, 3>> points;  // [cell][corner]

  std::size_t size() const { return points.size() / static_cast<std::size_t>(corners); }
};

struct ImageField {
  std::string name;
  int components = 1;          // 1 or 3
  bool integer = false;        // stored as int32
  std::vector<double> values;  // [pixel or cell][component]; pixels x fastest
};

struct ImageMeta {
  std::string kind, name;  // "slice", "mid"
  int dimensions = 3;      // of the domain
  std::int64_t step = 0;
  double time = 0;
};

// "slice_mid_000010.vtkhdf"
std::string image_name(const std::string& stem, std::int64_t step);

// Write a file atomically. Throw Failure that names the file and the system's reason; an existing file of that name is then
// unchanged.
void write_image(const std::string& path, const ImageMesh& mesh, std::span<const ImageField> fields,
                 const ImageMeta& meta, const PlotOptions& options = {});
void write_cells(const std::string& path, const CellMesh& mesh, std::span<const ImageField> fields,
                 const ImageMeta& meta, const PlotOptions& options = {});

// For `meander info`.
struct ImageFacts {
  FileOrigin origin;
  ImageMeta meta;
  std::array<std::int64_t, 3> pixels{};  // along each axis; all 0: cells
  std::int64_t cells = 0;
  std::vector<FieldFacts> fields;
};

// Whether an HDF5 file says that it is such an image.
bool is_image_file(const std::string& path);
// Reads the file in this process, as read_plot_facts().
ImageFacts read_image_facts(const std::string& path);

}  // namespace meander::io
