// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels that fill halos and pack messages: one block a slot or item. A kernel on resident patches is a
// class with this member, called for block numbers 0 to count - 1:
//
//   template <class Block>
//   void run(const Block&, int number) const;
//
// Usable in device code.

#include "solvers/block_prolong.hpp"
#include "solvers/block_restrict.hpp"
#include "solvers/boundary_values.hpp"

namespace meander::solvers {

template <Pde P>
class BlockFill {
  static constexpr int D = P::dim, N = P::unknowns;
  using Shape = SlotShape<D>;
  using Kind = FillOp::Kind;

 public:
  // Blocks wait for memory: with all registers that the compiler would take for the interpolation two were there at a time.
  static constexpr int resident_blocks = 4;
  MEANDER_HOST_DEVICE BlockFill(const P& pde, const FillBatch& batch)
      : batch_(batch), shape_(batch.layout), prolong_(pde, batch.layout, batch.prolongation) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const FillTarget& target = batch_.at(batch_.targets)[number];
    double* const slot = global(batch_.at(target.slot));
    int phase = 0;
    for (int n = target.begin; n < target.end; ++n) {
      const FillOp& op = batch_.at(batch_.ops)[n];
      if (op.phase != phase) block.sync();
      phase = op.phase;
      apply(block, op, slot);
    }
  }

 private:
  template <class Block>
  MEANDER_TERM void apply(const Block& block, const FillOp& op, double* slot) const {
    const int volumes = volumes_of_box<D>(op.extent);
    const double* const source = op.source == nullptr ? nullptr : global(batch_.at(op.source));
    switch (op.kind) {
      case Kind::copy:
        return each(block, op, slot, [&](const int* i, int) {
          int from[3] = {0, 0, 0};
          for (int a = 0; a < D; ++a) from[a] = i[a] + op.shift[a];
          return [at = source + shape_.at(from), stride = shape_.unknown_stride](int n) {
            return global(at)[n * stride];
          };
        });
      case Kind::receive:
        return each(block, op, slot, [&](const int*, int item) {
          return [at = source + item, volumes](int n) { return global(at)[n * volumes]; };
        });
      case Kind::prolong:
        return prolong_.prolong(block, slot, source, op.lower, op.extent, op.shift);
      case Kind::restrict_parts:
        return restrict_parts(block, op, slot);
      case Kind::outflow:
        return mirrored<Outflow>(block, op, slot);
      case Kind::reflecting:
        return mirrored<Reflecting>(block, op, slot);
      case Kind::extrapolated:
        return extrapolate(block, op, slot);
      case Kind::diode:
        return copy_or_mirror(block, op, slot);
    }
  }

  // Sets every unknown of every volume of the box to values(volume's index, its number)(unknown). An item has some unknowns
  // of a volume, which are all loaded before they are stored, so that a thread waits once for them.
  template <class Block, class Values>
  MEANDER_TERM void each(const Block& block, const FillOp& op, double* slot, const Values& values) const {
    constexpr int at_once = N < 8 ? N : 8, groups = (N + at_once - 1) / at_once;
    const int volumes = volumes_of_box<D>(op.extent);
    block.for_each(groups * volumes, [&](int item) {
      const int first = groups == 1 ? 0 : item / volumes * at_once,
                number = groups == 1 ? item : item % volumes;
      int i[3] = {0, 0, 0};
      volume_of_box<D>(op.lower, op.extent, number, i);
      const auto value = values(i, number);
      double* const to = global(slot + shape_.at(i) + first * shape_.unknown_stride);
      double q[at_once];
      MEANDER_UNROLL
      for (int n = 0; n < at_once; ++n) {
        if (N % at_once == 0 || first + n < N) q[n] = value(first + n);
      }
      MEANDER_UNROLL
      for (int n = 0; n < at_once; ++n) {
        if (N % at_once == 0 || first + n < N) to[n * shape_.unknown_stride] = q[n];
      }
    });
  }

  template <class Block>
  MEANDER_TERM void restrict_parts(const Block& block, const FillOp& op, double* slot) const {
    const FillPart* const parts = batch_.at(batch_.parts) + op.first_part;
    const int volumes = volumes_of_box<D>(op.extent);
    block.for_each(N * volumes, [&](int item) {
      const int n = item / volumes;
      int i[3] = {0, 0, 0};
      volume_of_box<D>(op.lower, op.extent, item % volumes, i);
      double value;
      if (restricted_value<D>(batch_.layout, shape_, batch_.at, op, parts, n, i, value))
        slot[n * shape_.unknown_stride + shape_.at(i)] = value;
    });
  }

  template <class Condition, class Block>
  MEANDER_TERM void mirrored(const Block& block, const FillOp& op, double* slot) const {
    const int axis = op.face / 2, side = op.face % 2;
    const double* const signs = Condition::reflects ? batch_.at(batch_.signs) + axis * N : nullptr;
    each(block, op, slot, [&](const int* i, int) {
      const int inside = Condition::source(i[axis], shape_.p, side);
      const double* const from = slot + shape_.at(i) + (inside - i[axis]) * shape_.stride(axis);
      return [from, signs, stride = shape_.unknown_stride](int n) {
        return (Condition::reflects ? global(signs)[n] : 1.0) * global(from)[n * stride];
      };
    });
  }

  template <class Block>
  MEANDER_TERM void copy_or_mirror(const Block& block, const FillOp& op, double* slot) const {
    const int axis = op.face / 2, side = op.face % 2;
    const double* const signs = batch_.at(batch_.signs) + axis * N;
    const int normal = Diode::normal(signs, N);
    each(block, op, slot, [&](const int* i, int) {
      int from[3] = {i[0], i[1], i[2]};
      from[axis] = Outflow::source(i[axis], shape_.p, side);
      const bool leaves = Diode::leaves(slot[normal * shape_.unknown_stride + shape_.at(from)], side);
      if (!leaves) from[axis] = Reflecting::source(i[axis], shape_.p, side);
      return [leaves, signs, at = slot + shape_.at(from), stride = shape_.unknown_stride](int n) {
        return (leaves ? 1.0 : global(signs)[n]) * global(at)[n * stride];
      };
    });
  }

  template <class Block>
  MEANDER_TERM void extrapolate(const Block& block, const FillOp& op, double* slot) const {
    const int axis = op.face / 2, side = op.face % 2, last = side == 0 ? 0 : shape_.p - 1;
    const int inwards = side == 0 ? shape_.stride(axis) : -shape_.stride(axis);
    each(block, op, slot, [&](const int* i, int) {
      int edge[3] = {i[0], i[1], i[2]};
      edge[axis] = last;
      return [polynomial = Extrapolation(shape_.p, side == 0 ? -i[axis] : i[axis] - last), inwards,
              at = slot + shape_.at(edge), stride = shape_.unknown_stride](int n) {
        return polynomial.value(global(at + n * stride), inwards);
      };
    });
  }

  FillBatch batch_;
  Shape shape_;
  BlockProlong<P> prolong_;
};

// Packs volumes or figures of restrict_part(). N: the number of unknowns need not be known at compile time.
template <int D>
class BlockPack {
  using Shape = SlotShape<D>;

 public:
  MEANDER_HOST_DEVICE explicit BlockPack(const PackBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const PackItem& item = batch_.at(batch_.items)[number];
    const double* const slot = batch_.at(item.slot);
    double* const to = batch_.at(batch_.buffer) + item.offset;
    if (item.restricts) return restrict_part(block, item, slot, to);
    const int volumes = volumes_of_box<D>(item.extent);
    block.for_each(batch_.layout.unknowns * volumes, [&](int n) {
      int i[3] = {0, 0, 0};
      volume_of_box<D>(item.lower, item.extent, n % volumes, i);
      to[n] = slot[n / volumes * shape_.unknown_stride + shape_.at(i)];
    });
  }

 private:
  template <class Block>
  MEANDER_TERM void restrict_part(const Block& block, const PackItem& item, const double* slot,
                                  double* to) const {
    const PatchLayout& layout = batch_.layout;
    const ChildShare<D> share(layout, item.child, item.lower, item.extent, item.shift);
    const int volumes = share.volumes();
    block.for_each(layout.unknowns * volumes, [&](int n) {
      int i[3] = {0, 0, 0}, coarse[3] = {0, 0, 0};
      share.volume(n % volumes, i);
      for (int a = 0; a < D; ++a) coarse[a] = i[a] + item.shift[a];
      const double* const values = slot + n / volumes * shape_.unknown_stride;
      if (layout.point_values) {
        int middle[3] = {0, 0, 0};
        for (int a = 0; a < D; ++a) middle[a] = 3 * coarse[a] + 1 - item.child[a] * layout.p;
        to[n] = values[shape_.at(middle)];
      } else {
        FineRange<D>(coarse, item.child, layout.p).sum(shape_, values, to[2 * n], to[2 * n + 1]);
      }
    });
  }

  PackBatch batch_;
  Shape shape_;
};

}  // namespace meander::solvers
