// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The leaves of a rank with their places in space, for output that reads parts of the domain.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "mesh/domain.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// A leaf, or interior volumes of it: `extent` along each axis from `lower` on. Unused axes have one volume.
struct Piece {
  std::int32_t level = 0;
  std::array<std::int32_t, 3> at{};  // in leaves of its level, from the domain's lower corner
  std::array<std::int32_t, 3> lower{}, extent{1, 1, 1};

  std::size_t size() const {
    return static_cast<std::size_t>(extent[0]) * static_cast<std::size_t>(extent[1]) *
           static_cast<std::size_t>(extent[2]);
  }
};

// An interval of an axis, with its lower end.
struct Interval {
  double lower = 0, upper = 0;

  bool holds(double x) const { return x >= lower && x < upper; }
};

// Coordinates of leaves and their volumes along an axis. The coordinate of a face between leaves is bitwise equal on both
// sides, so that each point lies in one volume exactly.
class LeafGrid {
 public:
  LeafGrid(const Config& config, int patch_size);

  int dims() const { return dims_; }
  int patch_size() const { return p_; }
  std::size_t axes() const { return static_cast<std::size_t>(dims_); }

  // The faces of a leaf's volumes: p + 1 numbers.
  std::vector<double> faces(const Piece& leaf, std::size_t axis) const;
  // The coordinates that a leaf holds. At the domain's border that is all beyond, too: the corners of the input may differ from the
  // faces of the last leaves by rounding.
  Interval leaf(const Piece& leaf, std::size_t axis) const;
  // The volume, 0 .. p - 1, that holds a coordinate of the leaf with these faces().
  static int volume(std::span<const double> faces, double x);
  // Restricts the piece, a whole leaf along that axis, to the volumes that meet the open interval. Returns whether there
  // are any.
  bool restrict_to(Piece& piece, std::size_t axis, Interval interval) const;

 private:
  Interval between_faces(const Piece& leaf, std::size_t axis) const;
  double face(int level, std::size_t axis, int index) const;

  int dims_, p_;
  std::optional<mesh::Domain<2>> plane_;
  std::optional<mesh::Domain<3>> space_;
};

// The leaves of this rank, whole, in curve order.
std::vector<Piece> whole_leaves(std::span<const int> levels, std::span<const Vec<int, 3>> indices, int dims,
                                int patch_size);

}  // namespace meander::simulation
