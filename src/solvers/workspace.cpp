// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/workspace.hpp"

namespace meander::solvers {

PlaneMap::PlaneMap(const PatchLayout& layout) : p_(layout.p), h_(layout.h), edge_(layout.edge()) {
  interior_ = std::make_unique<double[]>(static_cast<std::size_t>(4 * size()));
  for (int j = -h_; j < p_ + h_; ++j) {
    for (int i = -h_; i < p_ + h_; ++i) {
      double* volume = interior_.get() + at(i, j);
      const int outside = (i < 0 ? -i : i < p_ ? 0 : i - p_ + 1) + (j < 0 ? -j : j < p_ ? 0 : j - p_ + 1);
      volume[0] = outside == 0 ? 1 : 0;
      volume[3 * size()] = outside <= 1 ? 1 : 0;
      volume[size()] = i + 0.5;
      volume[2 * size()] = j + 0.5;
    }
  }
}

Workspace& workspace(const PatchLayout& layout) {
  thread_local Workspace mine;
  if (!mine.plane.fits(layout)) mine.plane = PlaneMap(layout);
  return mine;
}

}  // namespace meander::solvers
