// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-order finite volumes on one patch by a block of threads: for each volume the operations of
// godunov.hpp in the same order. The patch is swept plane by plane. The block's memory holds two planes of
// states and auxiliaries, the x and y fluxes of one plane and the z fluxes below it, so every volume of the
// slot is read once. Usable in device code.

#include "solvers/block_faces.hpp"

namespace meander::solvers {

template <Pde P, class Flux, int known>
class BlockGodunov {
 public:
  using Equation = P;
  static constexpr int N = P::unknowns, A = P::auxiliaries, D = P::dim;
  static constexpr int sides = P::has_ncp ? 2 : 1;
  static constexpr int registers = N > 5 ? 255 : D == 2 ? 56 : std::is_same_v<Flux, RusanovFlux> ? 64 : 96;

  MEANDER_HOST_DEVICE BlockGodunov(const P& pde, const DeviceBatch& batch)
      : step_(pde, batch), shape_(batch.layout.p) {}

  static constexpr std::ptrdiff_t memory(int p) {
    const std::ptrdiff_t planes = D == 3 ? 2 : 1;
    return planes * (N + A) * (p + 2) * (p + 2) + Faces::memory(p) + (D == 3 ? N * p * p : 0);
  }

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status,
                           double* memory) const {
    const int p = shape_.p(), plane = shape_.slot_plane();
    // States and auxiliaries of the planes with even k; those with odd k follow.
    double* const states = memory;
    const int other = D == 3 ? (N + A) * plane : 0;
    memory += (D == 3 ? 2 : 1) * (N + A) * plane;
    double* const z_flux = memory;
    if constexpr (D == 3) memory += N * p * p;
    const Faces faces(shape_, memory);
    const double scale = -0.5 * step_.dt / patch.dx;
    if constexpr (D == 3) {
      load(block, patch, -1, states + other);
      load(block, patch, 0, states);
      block.sync();
      block.for_each(p * p, [&](int item) { bottom_face(patch, item, states + other, states, z_flux); });
    } else {
      load(block, patch, 0, states);
    }
    for (int k = 0; k < (D == 3 ? p : 1); ++k) {
      double *const here = states + k % 2 * other, *const above = states + (k + 1) % 2 * other;
      block.sync();  // plane k - 1 has been read for the last time; plane k has been loaded
      // The faces of plane k do not read plane k + 1: no barrier separates these phases.
      if constexpr (D == 3) load(block, patch, k + 1, above);
      block.for_each(faces.count(), [&](int item) { face(patch, item, k, here, faces); });
      block.sync();
      block.for_each(p * p, status, [&](int item, BlockStatus& mine) {
        volume(patch, item, k, scale, here, above, faces, z_flux, mine);
      });
    }
  }

 private:
  using Shape = BlockShape<D, N, 1, known>;
  using Faces = BlockFaces<N, sides, Shape>;

  // Loads state and auxiliaries of plane k where faces need them.
  template <class Block>
  MEANDER_TERM void load(const Block& block, const DevicePatch& patch, int k, double* to) const {
    const int edge = shape_.edge(), plane = shape_.slot_plane();
    const int outside = D == 3 ? shape_.outside(k) : 0;
    block.for_each(plane, [&](int item) {
      const int i = item % edge - 1, j = item / edge - 1;
      if (outside + shape_.outside(i) + shape_.outside(j) > 1) return;
      const double* from = global(patch.q) + (D == 3 ? (k + 1) * plane : 0) + item;
      double q[N], a[A + 1];
      for (int n = 0; n < N; ++n) q[n] = from[n * shape_.unknown_stride()];
      step_.begin(patch, q, i, j, k);
      for (int n = 0; n < N; ++n) to[n * plane + item] = q[n];
      if constexpr (A > 0) {
        step_.pde.auxiliary(q, a);
        for (int n = 0; n < A; ++n) to[(N + n) * plane + item] = a[n];
      }
    });
  }
  MEANDER_TERM void get(const double* states, int at, double* q, double* a) const {
    const int plane = shape_.slot_plane();
    for (int n = 0; n < N; ++n) q[n] = states[n * plane + at];
    for (int n = 0; n < A; ++n) a[n] = states[(N + n) * plane + at];
  }
  MEANDER_TERM int position(int i, int j) const { return (j + 1) * shape_.edge() + i + 1; }

  MEANDER_TERM void flux(const double* low, int at_low, const double* high, int at_high, int axis,
                         double (*flux)[N]) const {
    double ql[N], qr[N], al[A + 1], ar[A + 1];
    get(low, at_low, ql, al);
    get(high, at_high, qr, ar);
    Flux::through(step_.pde, ql, al, qr, ar, axis, flux);
  }

  MEANDER_TERM void face(const DevicePatch& patch, int item, int k, const double* states,
                         const Faces& faces) const {
    const typename Faces::Face face = faces.at(item);
    const int at = position(face.i, face.j);
    double through[sides][N];
    if (face.axis == 0) {
      flux(states, at, states, at + 1, 0, through);
    } else {
      flux(states, at, states, at + shape_.edge(), 1, through);
    }
    faces.put(item, face, k, through, patch);
  }

  // The lower z face of plane 0: the flux for plane 0.
  MEANDER_TERM void bottom_face(const DevicePatch& patch, int item, const double* low, const double* high,
                                double* z_flux) const {
    const int at = position(item % shape_.p(), item / shape_.p());
    double through[sides][N];
    flux(low, at, high, at, 2, through);
    keep_z(item, through[sides - 1], z_flux, patch.flux[4]);
  }
  // Stores twice a z flux, and the flux itself in `record` unless that is null.
  MEANDER_TERM void keep_z(int item, const double* flux, double* z_flux, double* record) const {
    const int volumes = shape_.p() * shape_.p();
    for (int n = 0; n < N; ++n) z_flux[n * volumes + item] = flux[n];
    if (record == nullptr) return;
    for (int n = 0; n < N; ++n) global(record)[n * volumes + item] = 0.5 * flux[n];
  }

  MEANDER_TERM void volume(const DevicePatch& patch, int item, int k, double scale, const double* here,
                           const double* above, const Faces& faces, double* z_flux,
                           BlockStatus& status) const {
    const int p = shape_.p(), i = item % p, j = item / p, at = position(i, j);
    double sum[N], q[N];
    for (int n = 0; n < N; ++n) {
      sum[n] = faces.outflow(0, i, j, n);
      sum[n] = sum[n] + faces.outflow(1, i, j, n);
    }
    if constexpr (D == 3) {
      double through[sides][N];
      flux(here, at, above, at, 2, through);
      for (int n = 0; n < N; ++n) sum[n] = sum[n] + (through[0][n] - z_flux[n * p * p + item]);
      keep_z(item, through[sides - 1], z_flux, k == p - 1 ? patch.flux[5] : nullptr);
    }
    for (int n = 0; n < N; ++n) q[n] = fma(scale, sum[n], here[n * shape_.slot_plane() + at]);
    const int volume = shape_.in_interior(i, j, k);
    step_.finish(patch, q, i, j, k, volume, status);
    step_.store(patch, shape_, q, volume, shape_.in_slot(i, j, k));
  }

  BlockStep<P> step_;
  Shape shape_;
};

}  // namespace meander::solvers
