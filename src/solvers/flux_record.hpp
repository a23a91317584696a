// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies face fluxes of a patch from plane scratch to the buffers that a PatchTask requests. Kernels store
// twice the flux; the copy halves it.

#include "solvers/solver.hpp"
#include "solvers/workspace.hpp"

namespace meander::solvers {

class FluxRecord {
 public:
  FluxRecord(const PatchTask& task, const PatchLayout& layout, const PlaneMap& plane)
      : task_(task), layout_(layout), plane_(plane) {}

  bool wants(int axis) const {
    return task_.flux[2 * axis] != nullptr || task_.flux[2 * axis + 1] != nullptr;
  }

  // doubled: at volume (i, j) of plane k, twice the flux through its upper x face (axis 0) or y face (axis
  // 1).
  void take_plane(int axis, int k, const double* doubled) const {
    for (int side = 0; side < 2; ++side) {
      double* flux = task_.flux[2 * axis + side];
      if (flux == nullptr) continue;
      const int across = side == 0 ? -1 : layout_.p - 1;
      for (int n = 0; n < layout_.unknowns; ++n) {
        const double* from = doubled + n * plane_.size();
        double* row = flux + n * layout_.face_volumes() + k * layout_.p;
        for (int i = 0; i < layout_.p; ++i) {
          row[i] = 0.5 * from[axis == 0 ? plane_.at(across, i) : plane_.at(i, across)];
        }
      }
    }
  }

  // doubled: twice the fluxes through the lowest (side 0) or highest (side 1) z faces of the patch.
  void take_z(int side, const double* doubled) const {
    double* flux = task_.flux[4 + side];
    if (flux == nullptr) return;
    for (int n = 0; n < layout_.unknowns; ++n) {
      for (int j = 0; j < layout_.p; ++j) {
        for (int i = 0; i < layout_.p; ++i) *flux++ = 0.5 * doubled[n * plane_.size() + plane_.at(i, j)];
      }
    }
  }

 private:
  const PatchTask& task_;
  const PatchLayout& layout_;
  const PlaneMap& plane_;
};

}  // namespace meander::solvers
