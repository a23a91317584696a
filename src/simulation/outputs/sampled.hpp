// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What an output in the run takes of a state: pixels of a region, cells, or values at points. All ranks read their leaves,
// the root assembles. Results are bitwise identical for any ranks, threads and devices: the root adds in the order of
// the curve.
//
// The root receives p^(d-1) numbers of each leaf that a slice or projection meets, and p^d of a box, for each field.

#include <span>
#include <string>
#include <vector>

#include "io/image_file.hpp"
#include "simulation/outputs/fields.hpp"
#include "simulation/outputs/leaf_grid.hpp"

namespace meander::simulation {

// The state that is sampled.
struct SampledState {
  const StateView& view;
  std::span<const Piece> leaves;  // of this rank, whole
  const LeafGrid& grid;
  const solvers::Solver& solver;
};

// On the root; empty elsewhere.
struct Image {
  io::ImageMesh mesh;  // of pixels; unused if there are cells
  io::CellMesh cells;
  std::vector<io::ImageField> fields;
};

// Slices, projections and boxes. Collective.
Image sample_region(const SampledState& state, const RequestedOutput& output);

// Points along a line, or the centres of the cells of a sphere, within the domain with its mirror images.
using Points = std::vector<std::array<double, 3>>;

// The values at points on the root: [field component][point]. Each point has the value of the volume that holds it, and
// beyond a plane of symmetry that of its image, with the signs of the unknowns (local fields only). Collective.
std::vector<std::vector<double>> sample_points(const SampledState& state, const Points& points,
                                               std::span<const OutputField> fields);

// The cells of a sphere, with the points at their centres.
struct SphereCells {
  io::CellMesh mesh;
  Points centres;
};
SphereCells cells_of_sphere(const RequestedOutput& output, const Config& config);
Image sample_sphere(const SampledState& state, const SphereCells& cells, const RequestedOutput& output);

}  // namespace meander::simulation
