// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Slices, projections and boxes.

#include <algorithm>
#include <cmath>

#include "simulation/outputs/pieces.hpp"
#include "simulation/outputs/sampled.hpp"

namespace meander::simulation {

namespace {

// Pixels of the region along an axis.
struct PixelAxis {
  double lower = 0, upper = 0, spacing = 0;
  int count = 0;

  double centre(int pixel) const { return lower + (pixel + 0.5) * spacing; }
  double edge(int pixel) const { return pixel == count ? upper : lower + pixel * spacing; }
};

// What a pixel takes of a volume of a piece.
struct Share {
  int pixel = 0, volume = 0;
  double weight = 0;  // fraction of the pixel along this axis
};

class Region {
 public:
  Region(const SampledState& state, const RequestedOutput& output)
      : state_(state),
        grid_(state.grid),
        output_(output),
        flat_(output.kind == OutputKind::box ? grid_.axes() : static_cast<std::size_t>(output.axis())) {
    double longest = 0;
    for (std::size_t a = 0; a < grid_.axes(); ++a) {
      if (a != flat_) longest = std::max(longest, output.upper[a] - output.lower[a]);
    }
    for (std::size_t a = 0; a < grid_.axes(); ++a) {
      PixelAxis& axis = axes_[a];
      axis.lower = output.lower[a];
      axis.upper = output.upper[a];
      if (a == flat_) continue;
      const double extent = axis.upper - axis.lower;
      axis.count = std::max(1, static_cast<int>(std::lround(extent / longest * output.resolution)));
      axis.spacing = extent / axis.count;
    }
  }

  Image take() {
    const std::vector<OutputField> fields = output_fields(state_.solver, output_.fields);
    Numbers numbers = numbers_of(fields);
    const bool weighted = !output_.weight.empty();
    if (weighted) {
      const std::string& weight = output_.weight;
      numbers.list.push_back(output_fields(state_.solver, std::span(&weight, 1)).front().components.front());
    }
    const Pieces pieces =
        output_.kind == OutputKind::projection ? columns(numbers.list, weighted) : volumes(numbers.list);
    if (!state_.view.communicator.is_root()) return {};
    Image image;
    if (output_.kind == OutputKind::slice && output_.resolution == 0)
      image.cells = cut_volumes(pieces);
    else
      image.mesh = pixels();
    const bool has_pixels = image.cells.points.empty();
    const std::size_t items = has_pixels ? image.mesh.size() : image.cells.size();
    std::vector<double> weights(weighted ? items : 0, 0.0);
    if (weighted) set_pixels(pieces, numbers.list.size() - 1, weights.data(), 1);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::size_t components = fields[f].components.size(), width = components == 1 ? 1 : 3;
      io::ImageField& field = image.fields.emplace_back(
          io::ImageField{fields[f].name, static_cast<int>(width), fields[f].is_integer() && is_slice(),
                         std::vector<double>(items * width, 0.0)});
      for (std::size_t c = 0; c < components; ++c) {
        double* const values = field.values.data() + c;
        if (has_pixels)
          set_pixels(pieces, numbers.first[f] + c, values, width);
        else
          set_cells(pieces, numbers.first[f] + c, values, width);
        for (std::size_t i = 0; i < weights.size(); ++i) values[i * width] /= weights[i];
      }
    }
    return image;
  }

 private:
  bool is_slice() const { return output_.kind == OutputKind::slice; }

  // The volumes of this rank's leaves in the region.
  std::vector<PieceOfLeaf> in_region() const {
    std::vector<PieceOfLeaf> found;
    for (std::size_t leaf = 0; leaf < state_.leaves.size(); ++leaf) {
      Piece piece = state_.leaves[leaf];
      bool inside = true;
      for (std::size_t a = 0; a < grid_.axes() && inside; ++a) {
        if (a == flat_ && is_slice()) {
          inside = grid_.leaf(piece, a).holds(output_.offset);
          if (!inside) break;
          piece.lower[a] = LeafGrid::volume(grid_.faces(piece, a), output_.offset);
          piece.extent[a] = 1;
        } else {
          inside = grid_.restrict_to(piece, a, {axes_[a].lower, axes_[a].upper});
        }
      }
      if (inside) found.push_back({leaf, piece});
    }
    return found;
  }

  Pieces volumes(const std::vector<VolumeNumber>& numbers) const {
    const std::vector<PieceOfLeaf> boxes = in_region();
    return pieces_on_root(state_, boxes, numbers, is_slice() ? Reading::few : reading_of(state_, boxes));
  }

  // Integrals over the depth of the region within each leaf. `weighted`: the last number is the weight of the others.
  Pieces columns(const std::vector<VolumeNumber>& numbers, bool weighted) const {
    const std::vector<PieceOfLeaf> boxes = in_region();
    std::vector<PieceOfLeaf> flat = boxes;
    for (PieceOfLeaf& one : flat) {
      one.piece.lower[flat_] = 0;
      one.piece.extent[flat_] = 1;
    }
    const auto integrate = [&](std::size_t b, std::span<const double> values, std::span<double> sums) {
      const Piece& box = boxes[b].piece;
      const std::vector<double> faces = grid_.faces(box, flat_);
      const std::size_t size = box.size(), columns = flat[b].piece.size();
      const auto depth = static_cast<std::size_t>(box.extent[flat_]);
      std::size_t stride = 1;  // of volumes along the axis
      for (std::size_t a = 0; a < flat_; ++a) stride *= static_cast<std::size_t>(box.extent[a]);
      const double* const weight = weighted ? values.data() + (numbers.size() - 1) * size : nullptr;
      std::ranges::fill(sums, 0.0);
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        const double* const of_number = values.data() + n * size;
        double* const to = sums.data() + n * columns;
        for (std::size_t k = 0; k < depth; ++k) {
          const auto i = static_cast<std::size_t>(box.lower[flat_]) + k;
          const double length =
              std::min(faces[i + 1], axes_[flat_].upper) - std::max(faces[i], axes_[flat_].lower);
          for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t v = (c / stride * depth + k) * stride + c % stride;
            const bool by_weight = weighted && n + 1 < numbers.size();
            to[c] += (by_weight ? of_number[v] * weight[v] : of_number[v]) * length;
          }
        }
      }
    };
    return pieces_on_root(state_, boxes, flat, numbers, reading_of(state_, boxes), integrate);
  }

  io::ImageMesh pixels() const {
    io::ImageMesh mesh;
    for (std::size_t a = 0; a < grid_.axes(); ++a) {
      mesh.pixels[a] = axes_[a].count;
      mesh.lower[a] = a == flat_ && is_slice() ? output_.offset : axes_[a].lower;
      mesh.spacing[a] = axes_[a].spacing;
    }
    return mesh;
  }

  // Of a slice: each pixel takes the volume that holds its centre.
  std::vector<Share> centres_in(const Piece& piece, std::size_t a) const {
    const PixelAxis& axis = axes_[a];
    const std::vector<double> faces = grid_.faces(piece, a);
    int pixel =
        std::clamp(static_cast<int>((faces.front() - axis.lower) / axis.spacing - 0.5), 0, axis.count);
    while (pixel > 0 && axis.centre(pixel - 1) >= faces.front()) --pixel;
    while (pixel < axis.count && axis.centre(pixel) < faces.front()) ++pixel;
    std::vector<Share> shares;
    int volume = 0;
    for (; pixel < axis.count && axis.centre(pixel) < faces.back(); ++pixel) {
      while (volume + 1 < grid_.patch_size() &&
             axis.centre(pixel) >= faces[static_cast<std::size_t>(volume) + 1])
        ++volume;
      shares.push_back({pixel, std::clamp(volume - piece.lower[a], 0, piece.extent[a] - 1), 1});
    }
    return shares;
  }

  // Of projections and boxes: the parts of pixels that volumes cover.
  std::vector<Share> parts_in(const Piece& piece, std::size_t a) const {
    const PixelAxis& axis = axes_[a];
    const std::vector<double> faces = grid_.faces(piece, a);
    std::vector<Share> shares;
    for (int v = 0; v < piece.extent[a]; ++v) {
      const auto i = static_cast<std::size_t>(piece.lower[a] + v);
      const double lower = std::max(faces[i], axis.lower), upper = std::min(faces[i + 1], axis.upper);
      int pixel = std::clamp(static_cast<int>((lower - axis.lower) / axis.spacing), 0, axis.count - 1);
      while (pixel > 0 && axis.edge(pixel) > lower) --pixel;
      while (pixel + 1 < axis.count && axis.edge(pixel + 1) <= lower) ++pixel;
      for (; pixel < axis.count && axis.edge(pixel) < upper; ++pixel) {
        const double covered = std::min(upper, axis.edge(pixel + 1)) - std::max(lower, axis.edge(pixel));
        if (covered > 0) shares.push_back({pixel, v, covered / axis.spacing});
      }
    }
    return shares;
  }

  // Sets to[pixel * width], which is 0, by the values of a number.
  void set_pixels(const Pieces& pieces, std::size_t number, double* to, std::size_t width) const {
    std::array<std::size_t, 3> row{width, 0, 0};  // between neighbours along an axis
    row[1] = width * static_cast<std::size_t>(std::max(1, axes_[0].count));
    row[2] = row[1] * static_cast<std::size_t>(std::max(1, axes_[1].count));
    pieces.visit(number, [&](const Piece& piece, const double* values) {
      std::array<std::vector<Share>, 3> shares;
      for (std::size_t a = 0; a < 3; ++a) {
        const bool has_pixels = a < grid_.axes() && a != flat_;
        shares[a] = !has_pixels  ? std::vector<Share>{{0, 0, 1}}
                    : is_slice() ? centres_in(piece, a)
                                 : parts_in(piece, a);
      }
      for (const Share& z : shares[2]) {
        for (const Share& y : shares[1]) {
          const double* const from =
              values + (std::ptrdiff_t{z.volume} * piece.extent[1] + y.volume) * piece.extent[0];
          double* const line =
              to + static_cast<std::size_t>(z.pixel) * row[2] + static_cast<std::size_t>(y.pixel) * row[1];
          const double weight = z.weight * y.weight;
          if (is_slice()) {
            for (const Share& x : shares[0]) line[static_cast<std::size_t>(x.pixel) * width] = from[x.volume];
          } else {
            for (const Share& x : shares[0])
              line[static_cast<std::size_t>(x.pixel) * width] += weight * x.weight * from[x.volume];
          }
        }
      }
    });
  }

  // Sets to[cell * width] for all volumes, piece by piece.
  static void set_cells(const Pieces& pieces, std::size_t number, double* to, std::size_t width) {
    pieces.visit(number, [&](const Piece& piece, const double* values) {
      for (std::size_t v = 0; v < piece.size(); ++v, to += width) *to = values[v];
    });
  }

  // The volumes of a slice as polygons in its plane.
  io::CellMesh cut_volumes(const Pieces& pieces) const {
    io::CellMesh mesh{.corners = grid_.dims() == 3 ? 4 : 2, .points = {}};
    const std::size_t first = flat_ == 0 ? 1 : 0, second = flat_ == 2 ? 1 : 2;  // axes of the plane
    pieces.visit(0, [&](const Piece& piece, const double*) {
      const std::vector<double> along = grid_.faces(piece, first);
      std::vector<double> across = {0, 0};
      if (grid_.dims() == 3) across = grid_.faces(piece, second);
      for (int j = 0; j < piece.extent[second]; ++j) {
        for (int i = 0; i < piece.extent[first]; ++i) {
          const auto u = static_cast<std::size_t>(piece.lower[first] + i);
          const auto v = static_cast<std::size_t>(piece.lower[second] + j);
          const auto corner = [&](std::size_t at_u, std::size_t at_v) {
            std::array<double, 3> x{};
            x[flat_] = output_.offset;
            x[first] = along[at_u];
            if (grid_.dims() == 3) x[second] = across[at_v];
            mesh.points.push_back(x);
          };
          corner(u, v);
          corner(u + 1, v);
          if (grid_.dims() == 2) continue;
          corner(u + 1, v + 1);
          corner(u, v + 1);
        }
      }
    });
    return mesh;
  }

  const SampledState& state_;
  const LeafGrid& grid_;
  const RequestedOutput& output_;
  std::size_t flat_;  // the axis without pixels; that beyond the last of a box
  std::array<PixelAxis, 3> axes_{};
};

}  // namespace

Image sample_region(const SampledState& state, const RequestedOutput& output) {
  return Region(state, output).take();
}

}  // namespace meander::simulation
