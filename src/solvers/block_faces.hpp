// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The x and y faces of one plane of a patch in a block's memory: stores twice the flux through each face, and
// records the fluxes through the patch's own faces. Usable in device code.

#include "solvers/block_patch.hpp"

namespace meander::solvers {

// sides: 1; 2 for an equation with a non-conservative product, whose contributions to the volumes below and
// above a face differ.
template <int N, int sides, class Shape>
class BlockFaces {
 public:
  MEANDER_TERM BlockFaces(const Shape& shape, double* memory) : shape_(shape), memory_(memory) {}
  static constexpr std::ptrdiff_t memory(int p) { return 2 * sides * N * p * (p + 1); }

  // Number of faces along one axis, and along both.
  MEANDER_TERM int along() const { return shape_.p() * (shape_.p() + 1); }
  MEANDER_TERM int count() const { return 2 * along(); }

  // The axis of face `item` and the volume (i, j) below it, one index of which may be -1.
  struct Face {
    int axis, i, j;
  };
  MEANDER_TERM Face at(int item) const {
    const int p = shape_.p();
    if (item < along()) return {0, item % (p + 1) - 1, item / (p + 1)};
    return {1, (item - along()) % p, (item - along()) / p - 1};
  }

  // Stores twice the flux (flux[sides][N]) through the face, in plane k.
  MEANDER_TERM void put(int item, const Face& face, int k, const double (*flux)[N],
                        const DevicePatch& patch) const {
    for (int s = 0; s < sides; ++s) {
      for (int n = 0; n < N; ++n) memory_[(s * N + n) * count() + item] = flux[s][n];
    }
    const int across = face.axis == 0 ? face.i : face.j, tangential = face.axis == 0 ? face.j : face.i;
    if (across == -1) record(patch.flux[2 * face.axis], tangential, k, flux[0]);
    if (across == shape_.p() - 1) record(patch.flux[2 * face.axis + 1], tangential, k, flux[0]);
  }

  // Twice the net outflow of volume (i, j) along an axis.
  MEANDER_TERM double outflow(int axis, int i, int j, int n) const {
    const int p = shape_.p();
    const int low = axis == 0 ? j * (p + 1) + i : along() + j * p + i, up = axis == 0 ? low + 1 : low + p;
    return memory_[n * count() + up] - memory_[((sides - 1) * N + n) * count() + low];
  }

 private:
  MEANDER_TERM void record(double* to, int tangential, int k, const double* flux) const {
    if (to == nullptr) return;
    for (int n = 0; n < N; ++n)
      global(to)[n * shape_.face_volumes() + k * shape_.p() + tangential] = 0.5 * flux[n];
  }

  const Shape& shape_;
  double* memory_;
};

}  // namespace meander::solvers
