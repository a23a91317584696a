// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Values at points: spheres, lines and probes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "simulation/outputs/pieces.hpp"
#include "simulation/outputs/sampled.hpp"

namespace meander::simulation {

namespace {

// Points ordered by their first coordinate, so that those near a leaf are found by bisection.
class OrderedPoints {
 public:
  explicit OrderedPoints(const Points& points) : points_(points), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t n) { return points[n][0]; });
  }

  // Calls visit(point) for the points with x in the closed interval.
  template <class Visit>
  void visit(Interval x, const Visit& visit) const {
    auto at = std::ranges::lower_bound(order_, x.lower, {}, [&](std::size_t n) { return points_[n][0]; });
    for (; at != order_.end() && points_[*at][0] <= x.upper; ++at) visit(*at);
  }

 private:
  const Points& points_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::vector<std::vector<double>> sample_points(const SampledState& state, const Points& points,
                                               std::span<const OutputField> fields) {
  const LeafGrid& grid = state.grid;
  Points inside = points;
  std::vector<Mirrors::Axes> mirrored(points.size(), 0);
  if (state.view.mirrors->any()) {
    for (std::size_t n = 0; n < points.size(); ++n) {
      const Mirrors::Image image = state.view.mirrors->image(points[n]);
      inside[n] = image.x;
      mirrored[n] = image.mirrored;
    }
  }
  const OrderedPoints ordered(inside);
  std::vector<PieceOfLeaf> own;
  for (std::size_t leaf = 0; leaf < state.leaves.size(); ++leaf) {
    const Piece& whole = state.leaves[leaf];
    std::array<Interval, 3> held_by_leaf;
    std::array<std::vector<double>, 3> faces;
    for (std::size_t a = 0; a < grid.axes(); ++a) held_by_leaf[a] = grid.leaf(whole, a);
    ordered.visit(held_by_leaf[0], [&](std::size_t n) {
      for (std::size_t a = 0; a < grid.axes(); ++a) {
        if (!held_by_leaf[a].holds(inside[n][a])) return;
      }
      Piece piece = whole;
      for (std::size_t a = 0; a < grid.axes(); ++a) {
        if (faces[a].empty()) faces[a] = grid.faces(whole, a);
        piece.lower[a] = LeafGrid::volume(faces[a], inside[n][a]);
        piece.extent[a] = 1;
      }
      own.push_back({leaf, piece, mirrored[n], static_cast<std::int32_t>(n)});
    });
  }
  const Numbers numbers = numbers_of(fields);
  const Pieces pieces = pieces_on_root(state, own, numbers.list, Reading::few);
  if (!state.view.communicator.is_root()) return {};
  std::vector<std::vector<double>> values(
      numbers.list.size(), std::vector<double>(points.size(), std::numeric_limits<double>::quiet_NaN()));
  for (std::size_t n = 0; n < numbers.list.size(); ++n) {
    std::size_t piece = 0;
    pieces.visit(n, [&](const Piece&, const double* value) {
      values[n][static_cast<std::size_t>(pieces.tags[piece++])] = *value;
    });
  }
  return values;
}

SphereCells cells_of_sphere(const RequestedOutput& output, const Config& config) {
  const bool in_space = config.domain.dimensions == 3;
  const Mirrors whole = config.mirrors();
  const int around = output.resolution, between_poles = in_space ? std::max(2, around / 2) : 1;
  constexpr double pi = std::numbers::pi;
  const auto at = [&](double latitude_cells, double longitude_cells) {
    const double theta = in_space ? pi * latitude_cells / between_poles : pi / 2;
    const double phi = 2 * pi * longitude_cells / around;
    std::array<double, 3> x = {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                               std::cos(theta)};
    if (!in_space) x = {std::cos(phi), std::sin(phi), 0};
    for (std::size_t a = 0; a < output.centre.size(); ++a) x[a] = output.centre[a] + output.radius * x[a];
    return x;
  };
  SphereCells cells{.mesh = {.corners = in_space ? 4 : 2, .points = {}}, .centres = {}};
  for (int j = 0; j < between_poles; ++j) {
    for (int i = 0; i < around; ++i) {
      const std::array<double, 3> centre = at(j + 0.5, i + 0.5);
      bool inside = true;
      for (std::size_t a = 0; a < output.centre.size(); ++a)
        inside = inside && centre[a] >= whole.lower()[a] && centre[a] <= whole.upper()[a];
      if (!inside) continue;
      cells.centres.push_back(centre);
      cells.mesh.points.push_back(at(j, i));
      cells.mesh.points.push_back(at(in_space ? j + 1 : j, in_space ? i : i + 1));
      if (!in_space) continue;
      cells.mesh.points.push_back(at(j + 1, i + 1));
      cells.mesh.points.push_back(at(j, i + 1));
    }
  }
  return cells;
}

Image sample_sphere(const SampledState& state, const SphereCells& cells, const RequestedOutput& output) {
  const std::vector<OutputField> fields = output_fields(state.solver, output.fields);
  const std::vector<std::vector<double>> values = sample_points(state, cells.centres, fields);
  if (!state.view.communicator.is_root()) return {};
  Image image{.mesh = {}, .cells = cells.mesh, .fields = {}};
  const std::vector<std::size_t> first = numbers_of(fields).first;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t components = fields[f].components.size(), width = components == 1 ? 1 : 3;
    io::ImageField& field = image.fields.emplace_back(
        io::ImageField{fields[f].name, static_cast<int>(width), fields[f].is_integer(), {}});
    field.values.assign(cells.centres.size() * width, 0.0);
    for (std::size_t c = 0; c < components; ++c) {
      for (std::size_t i = 0; i < cells.centres.size(); ++i)
        field.values[i * width + c] = values[first[f] + c][i];
    }
  }
  return image;
}

}  // namespace meander::simulation
