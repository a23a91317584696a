// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/shell_sums.hpp"

#include <algorithm>
#include <cstring>

namespace meander::simulation {

DistanceRange distances(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const ShellGrid& grid) {
  double nearest = 0, farthest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dim); ++d) {
    const double lower = patch.lower[d] - grid.centre[d], upper = lower + layout.p * patch.dx;
    const double gap = std::max({lower, -upper, 0.0}), reach = std::max(upper, -lower);
    nearest += gap * gap;
    farthest += reach * reach;
  }
  return {std::sqrt(nearest), std::sqrt(farthest)};
}

namespace shell_sums_detail {
namespace {

// Doubles that a copy of a row moves at once: a copy of variable length is several times slower. It may read and write
// up to that number beyond the row: slots have spare doubles, and the next row overwrites what was too much.
constexpr int at_once = 8;

}  // namespace

PlaneReader::PlaneReader(const solvers::PatchLayout& layout, const ShellGrid& grid, int unknowns_read)
    : layout_(layout),
      grid_(grid),
      unknowns_(unknowns_read),
      n_(static_cast<std::size_t>(layout.p) * static_cast<std::size_t>(layout.p)),
      x_(n_),
      y_(n_),
      xy2_(n_),
      r_(n_),
      rows_(n_ * static_cast<std::size_t>(unknowns_read) + at_once) {}

void PlaneReader::open(const solvers::PatchTask& patch) {
  patch_ = &patch;
  std::size_t n = 0;
  for (int j = 0; j < layout_.p; ++j) {
    const double y = patch.lower[1] + (j + 0.5) * patch.dx - grid_.centre[1];
    for (int i = 0; i < layout_.p; ++i, ++n) {
      const double x = patch.lower[0] + (i + 0.5) * patch.dx - grid_.centre[0];
      x_[n] = x;
      y_[n] = y;
      xy2_[n] = x * x + y * y;
    }
  }
}

PlaneView PlaneReader::read(int k) {
  PlaneView plane;
  plane.n = static_cast<int>(n_);
  plane.x = x_.data();
  plane.y = y_.data();
  plane.r = r_.data();
  plane.z = layout_.dim == 3 ? patch_->lower[2] + (k + 0.5) * patch_->dx - grid_.centre[2] : 0.0;
  plane.volume = layout_.dim == 3 ? patch_->dx * patch_->dx * patch_->dx : patch_->dx * patch_->dx;
  const double z2 = plane.z * plane.z;
  const double* __restrict__ xy2 = xy2_.data();
  double* __restrict__ r = r_.data();
  for (std::size_t n = 0; n < n_; ++n) r[n] = std::sqrt(xy2[n] + z2);
  for (int u = 0; u < unknowns_; ++u) {
    double* row = rows_.data() + static_cast<std::size_t>(u) * n_;
    plane.unknown[u] = row;
    for (int j = 0; j < layout_.p; ++j, row += layout_.p) {
      const double* q = patch_->q + layout_.at(u, 0, j, k);
      for (int i = 0; i < layout_.p; i += at_once) std::memcpy(row + i, q + i, at_once * sizeof(double));
    }
  }
  return plane;
}

}  // namespace shell_sums_detail
}  // namespace meander::simulation
