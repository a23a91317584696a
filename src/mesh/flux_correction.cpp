// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/flux_correction.hpp"

#include <algorithm>

namespace meander::mesh {
namespace {

template <int D>
Index<D> across(int face) {
  Index<D> offset{};
  offset[face / 2] = 2 * (face % 2) - 1;
  return offset;
}

// Mean of 3^(D-1) fine face fluxes on each volume face of a coarse face, as first value and sum of
// differences, parts in curve order; the rule of solvers/restriction.hpp with one dimension less.
struct FaceMean {
  double first, sum;
  int count;
};

// Adds one unknown's fluxes through the fine face with child position (cx, cy) on the coarse face; in 2D a
// face is one row.
void add_part(FaceMean* mean, const double* fine, int p, int cx, int cy, bool planar) {
  const int rows = planar ? p : 1, y_origin = planar ? cy * p : 0, x_origin = cx * p;
  for (int j = 0; j < rows;) {
    const int coarse_y = planar ? (y_origin + j) / 3 : 0;
    const int j_end = planar ? std::min(rows, 3 * coarse_y + 3 - y_origin) : 1;
    for (int i = 0; i < p;) {
      const int coarse_x = (x_origin + i) / 3;
      const int i_end = std::min(p, 3 * coarse_x + 3 - x_origin);
      const double q0 = fine[j * p + i];
      double differences = 0;
      for (int y = j; y < j_end; ++y) {
        for (int x = i; x < i_end; ++x) differences += fine[y * p + x] - q0;
      }
      const int n = (j_end - j) * (i_end - i);
      FaceMean& volume = mean[coarse_y * p + coarse_x];
      if (volume.count == 0) {
        volume = {q0, differences, n};
      } else {
        volume.sum += differences + n * (q0 - volume.first);
        volume.count += n;
      }
      i = i_end;
    }
    j = j_end;
  }
}

}  // namespace

template <int D>
FluxCorrection<D>::FluxCorrection(const Spacetree<D>& tree, const Neighbours<D>& neighbours,
                                  const solvers::PatchLayout& layout)
    : layout_(layout) {
  const auto cells = neighbours.cells();
  const auto block = static_cast<std::size_t>(layout.face_flux_size());
  std::vector<std::int32_t> own(tree.size() * 2 * D, -1);  // number of the register of (leaf, face)
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    for (int face = 0; face < 2 * D; ++face) {
      const auto neighbour = neighbours.of(static_cast<std::int32_t>(leaf), direction_of<D>(across<D>(face)));
      if (neighbour.is_outside()) continue;
      const bool finer = neighbour.is_refined();
      if (!finer && cells[static_cast<std::size_t>(neighbour.leaf())].level == cells[leaf].level) continue;
      own[leaf * 2 * D + static_cast<std::size_t>(face)] = static_cast<std::int32_t>(table_.size());
      table_.push_back(
          {static_cast<std::int32_t>(leaf), static_cast<std::uint8_t>(face), table_.size() * block});
    }
  }
  registers_.resize(table_.size() * block);

  face_begin_.push_back(0);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const std::size_t before = faces_.size();
    for (int face = 0; face < 2 * D; ++face) {
      const auto mine = own[leaf * 2 * D + static_cast<std::size_t>(face)];
      if (mine < 0) continue;
      const auto offset = across<D>(face);
      const auto neighbour = neighbours.of(static_cast<std::int32_t>(leaf), direction_of<D>(offset));
      if (!neighbour.is_refined()) continue;
      const auto child = neighbours.refined_children(neighbour.refined_cell());
      const int axis = face / 2, layer = face % 2 == 0 ? 2 : 0;
      std::vector<std::pair<std::int32_t, Part>> found;
      for (int position = 0; position < children<D>; ++position) {
        Part part{};
        bool touches = false;
        for (int a = 0, rest = position, t = 0; a < D; ++a, rest /= 3) {
          if (a == axis) {
            touches = rest % 3 == layer;
          } else {
            part.child[static_cast<std::size_t>(t++)] = static_cast<std::int8_t>(rest % 3);
          }
        }
        if (!touches) continue;
        const std::int32_t fine = child[static_cast<std::size_t>(position)];
        part.offset = static_cast<std::size_t>(
                          own[static_cast<std::size_t>(fine) * 2 * D + static_cast<std::size_t>(face ^ 1)]) *
                      block;
        found.emplace_back(fine, part);
      }
      std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      faces_.push_back({static_cast<std::uint8_t>(face), static_cast<std::size_t>(mine) * block,
                        parts_.size(), found.size()});
      for (const auto& [fine, part] : found) parts_.push_back(part);
    }
    if (faces_.size() == before) continue;
    coarse_leaves_.push_back(static_cast<std::int32_t>(leaf));
    face_begin_.push_back(faces_.size());
  }
}

template <int D>
void FluxCorrection<D>::attach(std::span<solvers::PatchTask> patches) {
  for (auto& patch : patches) std::fill(std::begin(patch.flux), std::end(patch.flux), nullptr);
  for (const Register& entry : table_) {
    patches[static_cast<std::size_t>(entry.leaf)].flux[entry.face] = registers_.data() + entry.offset;
  }
}

template <int D>
void FluxCorrection<D>::apply(std::size_t i, const solvers::PatchTask& patch, double dt) const {
  thread_local std::vector<FaceMean> means;
  const int p = layout_.p;
  const auto face_volumes = static_cast<std::size_t>(layout_.face_volumes());
  means.resize(std::max(means.size(), face_volumes));
  FaceMean* const mean = means.data();
  const double weight = 1.0 / ipow(3.0, D - 1);
  for (std::size_t f = face_begin_[i]; f < face_begin_[i + 1]; ++f) {
    const CoarseFace& face = faces_[f];
    const int axis = face.face / 2, side = face.face % 2;
    const double factor = (side == 0 ? 1.0 : -1.0) * dt / patch.dx;
    // Tangential axes, the lower one fastest, as the registers are laid out.
    const int s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : 0;
    for (int u = 0; u < layout_.unknowns; ++u) {
      const std::size_t plane = static_cast<std::size_t>(u) * face_volumes;
      std::fill_n(mean, face_volumes, FaceMean{0, 0, 0});
      for (std::size_t k = face.first_part; k < face.first_part + face.parts; ++k) {
        const Part& part = parts_[k];
        add_part(mean, registers_.data() + part.offset + plane, p, part.child[0],
                 D == 3 ? part.child[D - 2] : 0, D == 3);
      }
      const double* own = registers_.data() + face.own + plane;
      double* q = patch.q + layout_.at(u, 0, 0, 0) + (side == 0 ? 0 : (p - 1) * layout_.stride(axis));
      std::size_t n = 0;
      for (int j = 0; j < (D == 3 ? p : 1); ++j) {
        double* row = q + (D == 3 ? j * layout_.stride(t) : 0);
        for (int x = 0; x < p; ++x, ++n) {
          row[x * layout_.stride(s)] += factor * (mean[n].first + mean[n].sum * weight - own[n]);
        }
      }
    }
  }
}

template class FluxCorrection<2>;
template class FluxCorrection<3>;

}  // namespace meander::mesh
