// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean of fine fluxes on the volume faces of a coarse leaf, and the correction of the coarse volumes.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/vec.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::mesh {

// Mean of 3^(D-1) fine face fluxes on one volume face of a coarse face, as first value and sum of differences
// to it, with parts added in curve order: the rule of solvers/restriction.hpp in one dimension less.
struct FaceMean {
  double first, sum;
  int count;

  // Adds `n` fluxes, given by the first of them and the sum of differences to it.
  void add(double q0, double differences, int n) {
    if (count == 0) {
      *this = {q0, differences, n};
    } else {
      sum += differences + n * (q0 - first);
      count += n;
    }
  }
};

// The volume faces [x, x_end) x [y, y_end) of one fine leaf that lie on one coarse volume face.
struct Block {
  int coarse;  // number of the coarse volume face on the coarse leaf's face
  int x, x_end, y, y_end;
  int count() const { return (x_end - x) * (y_end - y); }
};

// Calls body(block) for the coarse volume faces that the fine leaf at sub-face (sx, sy) touches, x fastest.
// In 2D a face is one row.
template <class Body>
void for_blocks(int p, int sx, int sy, bool planar, const Body& body) {
  const int rows = planar ? p : 1, y_origin = planar ? sy * p : 0, x_origin = sx * p;
  for (int y = 0; y < rows;) {
    const int coarse_y = planar ? (y_origin + y) / 3 : 0;
    const int y_end = planar ? std::min(rows, 3 * coarse_y + 3 - y_origin) : 1;
    for (int x = 0; x < p;) {
      const int coarse_x = (x_origin + x) / 3;
      const int x_end = std::min(p, 3 * coarse_x + 3 - x_origin);
      body(Block{coarse_y * p + coarse_x, x, x_end, y, y_end});
      x = x_end;
    }
    y = y_end;
  }
}

// The sum of differences to q0 over the block, added to `differences` one after another.
inline double sum_of_differences(const double* fine, int p, const Block& block, double q0,
                                 double differences) {
  for (int y = block.y; y < block.y_end; ++y) {
    for (int x = block.x; x < block.x_end; ++x) differences += fine[y * p + x] - q0;
  }
  return differences;
}

// Adds the fluxes of a step to the part of a fine face: for each unknown and each coarse volume face that it
// touches, the first flux of the first step and the sum of differences to it. begins: this is the first step.
inline void sum_face(const solvers::PatchLayout& layout, int sx, int sy, const double* fluxes, bool begins,
                     double* part) {
  const int p = layout.p;
  for (int u = 0; u < layout.unknowns; ++u, fluxes += layout.face_volumes()) {
    for_blocks(p, sx, sy, layout.dim == 3, [&](const Block& block) {
      const double first = begins ? fluxes[block.y * p + block.x] : part[0], sum = begins ? 0.0 : part[1];
      part[0] = first;
      // Whole blocks have a constant extent, so that their sums are unrolled and overlap.
      part[1] =
          block.count() == 9
              ? sum_of_differences(fluxes, p, {0, block.x, block.x + 3, block.y, block.y + 3}, first, sum)
              : sum_of_differences(fluxes, p, block, first, sum);
      part += 2;
    });
  }
}

// Replaces the flux `own` of a coarse leaf through `face` by the mean of fine fluxes over the step that
// recorded it: q += factor * (mean - own), factor = +-dt / dx. add(u, mean) adds all parts of unknown u to the
// volume faces, x fastest; a mean has 1 / weight parts.
template <int D, class Add>
void replace_flux(const solvers::PatchLayout& layout, int face, const double* own, double* q, double factor,
                  double weight, const Add& add) {
  thread_local std::vector<FaceMean> means;
  const int p = layout.p, axis = face / 2, side = face % 2;
  const auto face_volumes = static_cast<std::size_t>(layout.face_volumes());
  means.resize(std::max(means.size(), face_volumes));
  FaceMean* const mean = means.data();
  // Tangential axes, the lower one fastest, as the registers are laid out.
  const int s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : 0;
  for (int u = 0; u < layout.unknowns; ++u, own += face_volumes) {
    std::fill_n(mean, face_volumes, FaceMean{0, 0, 0});
    add(u, mean);
    double* plane = q + layout.at(u, 0, 0, 0) + (side == 0 ? 0 : (p - 1) * layout.stride(axis));
    std::size_t n = 0;
    for (int j = 0; j < (D == 3 ? p : 1); ++j) {
      double* row = plane + (D == 3 ? j * layout.stride(t) : 0);
      for (int x = 0; x < p; ++x, ++n) {
        row[x * layout.stride(s)] += factor * (mean[n].first + mean[n].sum * weight - own[n]);
      }
    }
  }
}

}  // namespace meander::mesh
