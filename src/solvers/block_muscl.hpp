// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MUSCL-Hancock on one patch by a block of threads: for each volume the operations of muscl.hpp in the same
// order. The patch is swept plane by plane, with three planes of primitive variables in the block's memory.
// Usable in device code.

#include "solvers/block_faces.hpp"
#include "solvers/positivity.hpp"

namespace meander::solvers {

template <Reconstructible P, class Limiter, class Flux, int known>
class BlockMuscl {
 public:
  using Equation = P;
  static constexpr int N = P::unknowns, D = P::dim;
  static constexpr int registers = N > 5 ? 255 : D == 3 ? 128 : 72;

  MEANDER_HOST_DEVICE BlockMuscl(const P& pde, const DeviceBatch& batch)
      : step_(pde, batch), shape_(batch.layout.p) {}

  static constexpr std::ptrdiff_t memory(int p) {
    const std::ptrdiff_t primitives = (D == 3 ? 3 : 1) * (p + 4) * (p + 4), states = 3 * (p + 2) * (p + 2),
                         columns = D == 3 ? 3 * p * p : 0;
    return N * (primitives + states + columns) + Faces::memory(p);
  }

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status,
                           double* memory) const {
    const int p = shape_.p();
    const Work work(shape_, memory);
    const double ratio = step_.dt / patch.dx;
    if constexpr (D == 2) {
      load(block, patch, 0, work.at(0));
      block.sync();
      states(block, patch, 0, ratio, work, status);
      block.sync();
      block.for_each(work.faces.count(), [&](int item) { face(patch, item, 0, work); });
      block.sync();
      block.for_each(p * p, status, [&](int item, BlockStatus& mine) {
        double outflow[N];
        for (int n = 0; n < N; ++n) outflow[n] = plane_outflow(work.faces, item, n);
        advance(patch, item, 0, ratio, outflow, mine);
      });
    } else {
      load(block, patch, -2, work.at(-2));
      load(block, patch, -1, work.at(-1));
      for (int k = -1; k <= p; ++k) {
        load(block, patch, k + 1, work.at(k + 1));
        block.sync();
        states(block, patch, k, ratio, work, status);
        if (k == p) break;
        block.sync();
        if (k < 0) continue;
        block.for_each(work.faces.count(), [&](int item) { face(patch, item, k, work); });
        block.sync();
        block.for_each(p * p, [&](int item) {
          for (int n = 0; n < N; ++n) work.sum[n * p * p + item] = plane_outflow(work.faces, item, n);
        });
      }
    }
  }

 private:
  using Shape = BlockShape<D, N, 2, known>;
  using Faces = BlockFaces<N, 1, Shape>;

  // The block's memory. Predicted states and the offsets of their x and y face states fill a plane with one volume of
  // halo. Data that a column of volumes passes from plane to plane have no halo.
  struct Work {
    double* primitive;  // of plane k, every third
    double *predicted, *offsets, *top, *z_flux, *sum;
    int plane, inner;  // doubles of a plane
    Faces faces;

    MEANDER_TERM Work(const Shape& shape, double* memory) : faces(shape, memory) {
      const int p = shape.p();
      plane = N * shape.slot_plane();
      inner = N * (p + 2) * (p + 2);
      primitive = memory + 2 * N * p * (p + 1);
      predicted = primitive + (D == 3 ? 3 : 1) * plane;
      offsets = predicted + inner;
      top = offsets + 2 * inner;
      z_flux = top + N * p * p;
      sum = z_flux + N * p * p;
    }
    MEANDER_TERM double* at(int k) const { return primitive + (D == 3 ? (k + 3) % 3 * plane : 0); }
    MEANDER_TERM double* offset(int axis) const { return offsets + axis * inner; }
  };

  // Computes the primitive variables of plane k where offsets need them.
  template <class Block>
  MEANDER_TERM void load(const Block& block, const DevicePatch& patch, int k, double* to) const {
    const int edge = shape_.edge(), plane = shape_.slot_plane();
    const int outside = D == 3 ? shape_.outside(k) : 0;
    if (outside > 2) return;
    block.for_each(plane, [&](int item) {
      const int i = item % edge - 2, j = item / edge - 2;
      if (outside + shape_.outside(i) + shape_.outside(j) > 2) return;
      const double* from = global(patch.q) + (D == 3 ? (k + 2) * plane : 0) + item;
      double q[N], w[N];
      for (int n = 0; n < N; ++n) q[n] = from[n * shape_.unknown_stride()];
      step_.pde.primitive(q, w);
      step_.begin_primitive(patch, w, i, j, k);
      for (int n = 0; n < N; ++n) to[n * plane + item] = w[n];
    });
  }

  // Predicted states of plane k, the offsets of their face states, and the z faces below it. Completes plane k - 1 if
  // that is a plane of the patch.
  template <class Block>
  MEANDER_TERM void states(const Block& block, const DevicePatch& patch, int k, double ratio,
                           const Work& work, BlockStatus& status) const {
    const int width = shape_.p() + 2;
    const int outside = D == 3 ? shape_.outside(k) : 0;
    block.for_each(width * width, status, [&](int item, BlockStatus& mine) {
      const int i = item % width - 1, j = item / width - 1;
      const int all = outside + shape_.outside(i) + shape_.outside(j);
      if (all <= 1) state(patch, item, i, j, k, all == 0, ratio, work, mine);
    });
  }

  struct Pair {
    double below, above;
  };
  // A primitive variable in the two neighbours along an axis.
  MEANDER_TERM Pair beside(const Work& work, int n, int axis, int k, int at) const {
    const int row = n * shape_.slot_plane() + at, step = axis == 0 ? 1 : shape_.edge();
    if (axis == 2) return {work.at(k - 1)[row], work.at(k + 1)[row]};
    const double* const here = work.at(k) + row;
    return {here[-step], here[step]};
  }

  // The change of W[P::balanced] at rest over half of a volume: (i, j, k) or its neighbour at a side, -1 or 1.
  MEANDER_TERM double half_at_rest(const DevicePatch& patch, const Work& work, int i, int j, int k, int axis,
                                   int side) const {
    if (axis == 0) i += side;
    if (axis == 1) j += side;
    if (axis == 2) k += side;
    const int row = P::weighed * shape_.slot_plane() + (j + 2) * shape_.edge() + i + 2;
    return 0.5 * patch.dx * (work.at(k)[row] * step_.fields(patch, i, j, k)(axis));
  }

  MEANDER_TERM void state(const DevicePatch& patch, int item, int i, int j, int k, bool inside, double ratio,
                          const Work& work, BlockStatus& status) const {
    const int plane = shape_.slot_plane(), at = (j + 2) * shape_.edge() + i + 2;
    const double* const here = work.at(k);
    double w[N], predicted[N], offset[D][N], change[N];
    for (int n = 0; n < N; ++n) {
      w[n] = here[n * plane + at];
      for (int a = 0; a < D; ++a) {
        const auto [below, above] = beside(work, n, a, k, at);
        offset[a][n] = Limiter::limit(w[n] - below, above - w[n]);
      }
    }
    // What the balance needs is read anew where it is needed: held in registers, it would cost all other jobs occupancy.
    const bool balances = step_.balances();
    if constexpr (Balanced<P>) {
      if (balances) {
        for (int a = 0; a < D; ++a) {
          const auto [below, above] = beside(work, P::balanced, a, k, at);
          const auto at_rest = [&](int side) { return half_at_rest(patch, work, i, j, k, a, side); };
          const double own = at_rest(0);
          offset[a][P::balanced] = Limiter::limit(w[P::balanced] - below - (own + at_rest(-1)),
                                                  above - w[P::balanced] - (own + at_rest(1)));
        }
      }
    }
    for (int n = 0; n < N; ++n) change[n] = 0;
    for (int a = 0; a < D; ++a) {
      step_.pde.add_quasilinear(w, offset[a], a, change);
      if constexpr (Balanced<P>) {
        if (balances) {
          const double own = half_at_rest(patch, work, i, j, k, a, 0);
          step_.pde.add_balanced(w, own, a, change);
          offset[a][P::balanced] += own;
        }
      }
    }
    for (int n = 0; n < N; ++n) predicted[n] = fma(-ratio, change[n], w[n]);
    const int size = (shape_.p() + 2) * (shape_.p() + 2);
    const bool in_plane = D == 2 || shape_.outside(k) == 0;
    if (in_plane) {
      for (int n = 0; n < N; ++n) {
        work.predicted[n * size + item] = predicted[n];
        for (int a = 0; a < 2; ++a) work.offset(a)[n * size + item] = offset[a][n];
      }
    }
    const bool good = stays_admissible<Flux>(step_.pde, w, predicted, offset, ratio, [] { return true; });
    if (in_plane && !good) {
      for (int n = 0; n < N; ++n) {
        work.predicted[n * size + item] = here[n * plane + at];
        for (int a = 0; a < 2; ++a) work.offset(a)[n * size + item] = 0.0;
      }
      if (inside) ++status.first_order;
    }
    if constexpr (D == 3) {
      if (shape_.outside(i) + shape_.outside(j) > 0) return;
      double low[N], high[N];
      for (int n = 0; n < N; ++n) {
        low[n] = good ? predicted[n] - offset[D - 1][n] : here[n * plane + at];
        high[n] = good ? predicted[n] + offset[D - 1][n] : here[n * plane + at];
      }
      z_face(patch, j * shape_.p() + i, k, ratio, low, high, work, status);
    }
  }

  MEANDER_TERM void z_face(const DevicePatch& patch, int item, int k, double ratio, const double* low,
                           const double* high, const Work& work, BlockStatus& status) const {
    const int p = shape_.p(), columns = p * p;
    if (k >= 0) {
      double below[N], face[N], outflow[N];
      for (int n = 0; n < N; ++n) below[n] = work.top[n * columns + item];
      primitive_flux<Flux>(step_.pde, below, low, 2, face);
      if (k >= 1) {
        for (int n = 0; n < N; ++n)
          outflow[n] = work.sum[n * columns + item] + (face[n] - work.z_flux[n * columns + item]);
        advance(patch, item, k - 1, ratio, outflow, status);
      }
      for (int n = 0; n < N; ++n) work.z_flux[n * columns + item] = face[n];
      double* const record = k == 0 ? patch.flux[4] : k == p ? patch.flux[5] : nullptr;
      if (record != nullptr) {
        for (int n = 0; n < N; ++n) global(record)[n * columns + item] = 0.5 * face[n];
      }
    }
    for (int n = 0; n < N; ++n) work.top[n * columns + item] = high[n];
  }

  MEANDER_TERM void face(const DevicePatch& patch, int item, int k, const Work& work) const {
    const typename Faces::Face face = work.faces.at(item);
    const int width = shape_.p() + 2, size = width * width, at = (face.j + 1) * width + face.i + 1;
    const int up = at + (face.axis == 0 ? 1 : width);
    const double* const offset = work.offset(face.axis);
    double wl[N], wr[N], flux[1][N];
    for (int n = 0; n < N; ++n) {
      wl[n] = work.predicted[n * size + at] + offset[n * size + at];
      wr[n] = work.predicted[n * size + up] - offset[n * size + up];
    }
    if (face.axis == 0) {
      primitive_flux<Flux>(step_.pde, wl, wr, 0, flux[0]);
    } else {
      primitive_flux<Flux>(step_.pde, wl, wr, 1, flux[0]);
    }
    work.faces.put(item, face, k, flux, patch);
  }

  // Twice the net outflow of a volume of the plane along x and y.
  MEANDER_TERM double plane_outflow(const Faces& faces, int item, int n) const {
    const int i = item % shape_.p(), j = item / shape_.p();
    return faces.outflow(0, i, j, n) + faces.outflow(1, i, j, n);
  }

  MEANDER_TERM void advance(const DevicePatch& patch, int item, int k, double ratio, const double* outflow,
                            BlockStatus& status) const {
    const int i = item % shape_.p(), j = item / shape_.p();
    const double scale = -0.5 * ratio;
    const double* const from = global(patch.q) + shape_.in_slot(i, j, k);
    double q[N], kept[BlockStep<P>::kept_values];
    for (int n = 0; n < N; ++n) q[n] = from[n * shape_.unknown_stride()];
    step_.begin_interior(patch, q, i, j, k, kept);
    for (int n = 0; n < N; ++n) q[n] = fma(scale, outflow[n], q[n]);
    const int volume = shape_.in_interior(i, j, k);
    step_.finish(patch, q, kept, i, j, k, volume, status);
    step_.store(patch, shape_, q, volume, shape_.in_slot(i, j, k));
  }

  BlockStep<P> step_;
  Shape shape_;
};

}  // namespace meander::solvers
