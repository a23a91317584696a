// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels of flux correction and of the status of resident patches, with the operations of FluxCorrection and
// of Solver::enforce_floors() in the same order. Usable in device code.

#include "solvers/block.hpp"
#include "solvers/block_restrict.hpp"
#include "solvers/riemann.hpp"

namespace meander::solvers {

// The face volumes of a fine leaf that lie on one coarse face volume: [begin, end) along the tangential axes.
struct FineFaceRange {
  int begin[2], end[2];

  // cx, cy: the coarse face volume. planar: the face is a plane (3D).
  MEANDER_TERM FineFaceRange(int cx, int cy, const std::int8_t* sub_face, int p, bool planar) {
    const int origin[2] = {3 * cx - sub_face[0] * p, planar ? 3 * cy - sub_face[1] * p : 0};
    for (int a = 0; a < 2; ++a) {
      begin[a] = origin[a] > 0 ? origin[a] : 0;
      end[a] = origin[a] + 3 < p ? origin[a] + 3 : p;
    }
    if (!planar) end[1] = 1;
  }
  MEANDER_TERM bool empty() const { return begin[0] >= end[0] || begin[1] >= end[1]; }
  MEANDER_TERM int count() const { return (end[0] - begin[0]) * (end[1] - begin[1]); }
  MEANDER_TERM void sum(const double* fine, int p, double& first, double& differences) const {
    first = fine[begin[1] * p + begin[0]];
    differences = 0;
    for (int y = begin[1]; y < end[1]; ++y) {
      for (int x = begin[0]; x < end[0]; ++x) differences += fine[y * p + x] - first;
    }
  }
};

// The coarse face volumes that a fine face touches: columns first[0] .., rows first[1] ..
struct CoarseFaceRange {
  int first[2], count[2];

  MEANDER_TERM CoarseFaceRange(const std::int8_t* sub_face, int p, bool planar) {
    for (int a = 0; a < 2; ++a) {
      first[a] = sub_face[a] * p / 3;
      count[a] = (sub_face[a] * p + p - 1) / 3 - first[a] + 1;
    }
    if (!planar) first[1] = 0, count[1] = 1;
  }
  MEANDER_TERM int volumes() const { return count[0] * count[1]; }
  MEANDER_TERM int number(int cx, int cy) const { return (cy - first[1]) * count[0] + cx - first[0]; }
};

// Enforces floors in one volume if asked to, and adds it to the status.
template <Pde P>
MEANDER_TERM void inspect_volume(const P& pde, double* volume, int stride, int number, bool enforces,
                                 BlockStatus& status) {
  constexpr int N = P::unknowns;
  double q[N];
  MEANDER_UNROLL
  for (int n = 0; n < N; ++n) q[n] = volume[n * stride];
  if (enforces) {
    if constexpr (Watched<P>) {
      if (pde.strays(q)) ++status.strayed;
      Breach breach;
      breach.bound = pde.breach(q, breach.value);
      breach.volume = number;
      if (breach.bound >= 0) status.note(breach);
    }
    if constexpr (Floored<P>) {
      if (pde.enforces()) {
        if (pde.enforce(q)) ++status.floored;
        // The addresses are computed again: kept since the loads, they would not fit into registers.
        keep_order();
        double* const to = volume + unknown_zero();
        MEANDER_UNROLL
        for (int n = 0; n < N; ++n) to[n * stride] = q[n];
      }
    }
  }
  status.max_rate = max(rate(pde, q), status.max_rate);
  if (!pde.admissible(q)) ++status.inadmissible;
}

// One block a coarse leaf: corrects its faces, enforces floors, and updates its status as HostPlace::correct().
template <Pde P>
class BlockReflux {
  static constexpr int D = P::dim, N = P::unknowns;
  using Shape = SlotShape<D>;

 public:
  MEANDER_HOST_DEVICE BlockReflux(const P& pde, const RefluxBatch& batch)
      : pde_(pde), batch_(batch), shape_(batch.layout), weight_(1.0 / ((D == 3 ? 9.0 : 3.0) * batch.steps)) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const RefluxTarget& target = batch_.at(batch_.targets)[number];
    double* const slot = global(batch_.at(target.slot));
    const CoarseFace* const faces = batch_.at(batch_.faces);
    for (int f = target.begin; f < target.end; ++f) {
      correct(block, faces[f], slot, target.dx);
      // Volumes at an edge belong to faces of several axes. Opposite faces share none (p > 1).
      const bool ends_axis = f + 1 == target.end || faces[f + 1].face / 2 != faces[f].face / 2;
      if (ends_axis) block.sync();
    }
    BlockStatus status;
    block.for_each(shape_.volumes(), status, [&](int item, BlockStatus& mine) {
      int i[3] = {0, 0, 0};
      shape_.volume(item, i);
      inspect_volume(pde_, slot + shape_.at(i), static_cast<int>(shape_.unknown_stride), item, true, mine);
    });
    block.collect(status);
    if (!block.leads()) return;
    PatchStatus corrected;
    status.write(corrected);
    add_to_status(batch_.at(batch_.status)[target.leaf], corrected);
  }

 private:
  template <class Block>
  MEANDER_TERM void correct(const Block& block, const CoarseFace& face, double* slot, double dx) const {
    const int p = shape_.p, axis = face.face / 2, side = face.face % 2, volumes = D == 3 ? p * p : p;
    const double factor = (side == 0 ? 1.0 : -1.0) * batch_.dt / dx;
    const int s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : 0;
    const FluxPart* const parts = batch_.at(batch_.parts) + face.first_part;
    const double* const own = batch_.at(face.own);
    block.for_each(N * volumes, [&](int item) {
      const int n = item / volumes, place = item % volumes, cx = place % p, cy = place / p;
      RestrictedShare mean{0, 0, 0};
      for (int k = 0; k < face.parts; ++k) {
        const FluxPart& part = parts[k];
        const FineFaceRange range(cx, cy, part.sub_face, p, D == 3);
        if (range.empty()) continue;
        const double* from = batch_.at(part.from);
        double first, differences;
        if (part.received) {
          const CoarseFaceRange of(part.sub_face, p, D == 3);
          from += 2 * (n * of.volumes() + of.number(cx, cy));
          first = from[0];
          differences = from[1];
        } else {
          range.sum(from + n * volumes, p, first, differences);
        }
        mean.add(first, differences, range.count() * batch_.steps);
      }
      int i[3] = {0, 0, 0};
      i[axis] = side == 0 ? 0 : p - 1;
      i[s] = cx;
      if constexpr (D == 3) i[t] = cy;
      slot[n * shape_.unknown_stride + shape_.at(i)] +=
          factor * (mean.first + mean.sum * weight_ - own[n * volumes + place]);
    });
  }

  P pde_;
  RefluxBatch batch_;
  Shape shape_;
  double weight_;
};

// One block a fine face: its figures for a coarse face of another rank.
template <int D>
class BlockFluxPack {
 public:
  MEANDER_HOST_DEVICE explicit BlockFluxPack(const FluxPackBatch& batch) : batch_(batch) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const FluxPackItem& item = batch_.at(batch_.items)[number];
    const int p = batch_.layout.p, face_volumes = D == 3 ? p * p : p;
    const CoarseFaceRange of(item.part.sub_face, p, D == 3);
    const double* const fine = batch_.at(item.part.from);
    double* const to = batch_.at(batch_.buffer) + item.offset;
    block.for_each(batch_.layout.unknowns * of.volumes(), [&](int figure) {
      const int n = figure / of.volumes(), place = figure % of.volumes();
      const int cx = of.first[0] + place % of.count[0], cy = of.first[1] + place / of.count[0];
      const FineFaceRange range(cx, cy, item.part.sub_face, p, D == 3);
      range.sum(fine + n * face_volumes, p, to[2 * figure], to[2 * figure + 1]);
    });
  }

 private:
  FluxPackBatch batch_;
};

// One block a patch: its status, after floors if the batch asks for them.
template <Pde P>
class BlockInspect {
 public:
  MEANDER_HOST_DEVICE BlockInspect(const P& pde, const InspectBatch& batch)
      : pde_(pde), batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    double* const slot = global(batch_.at(batch_.at(batch_.patches)[number].slot));
    BlockStatus status;
    block.for_each(shape_.volumes(), status, [&](int item, BlockStatus& mine) {
      int i[3] = {0, 0, 0};
      shape_.volume(item, i);
      inspect_volume(pde_, slot + shape_.at(i), static_cast<int>(shape_.unknown_stride), item,
                     batch_.enforces, mine);
    });
    block.collect(status);
    if (block.leads()) status.write(batch_.at(batch_.status)[number]);
  }

 private:
  P pde_;
  InspectBatch batch_;
  SlotShape<P::dim> shape_;
};

// A single block: merges the status of all patches by lanes, and the lanes by a tree.
class BlockReduce {
 public:
  static constexpr int lanes = ReduceBatch::lanes;
  MEANDER_HOST_DEVICE explicit BlockReduce(const ReduceBatch& batch) : batch_(batch) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int) const {
    Status* const partial = batch_.at(batch_.merged);
    block.for_each(lanes, [&](int lane) {
      Status mine;
      for (int number = lane; number < batch_.count; number += lanes) add(number, mine);
      partial[lane] = mine;
    });
    for (int half = lanes / 2; half > 0; half /= 2) {
      block.sync();
      block.for_each(half, [&](int lane) {
        Status mine = partial[lane];  // in registers: of memory, each branch of add() would store
        mine.add(partial[lane + half]);
        partial[lane] = mine;
      });
    }
  }

 private:
  MEANDER_TERM void add(int number, Status& to) const {
    const DevicePatch& patch = batch_.at(batch_.patches)[number];
    to.add(batch_.at(batch_.leaf)[number], patch.level, patch.dx, batch_.at(batch_.status)[number]);
  }

  ReduceBatch batch_;
};

}  // namespace meander::solvers
