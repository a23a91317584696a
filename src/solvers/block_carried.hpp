// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel that moves carried rows with leaves at a regrid: one block a slot, with the operations of restriction.cpp and
// prolongation.cpp in the same order. Usable in device code.

#include "solvers/block_poisson.hpp"
#include "solvers/field_batch.hpp"

namespace meander::solvers {

template <int D>
class BlockCarried {
  using Kind = FillOp::Kind;

 public:
  MEANDER_HOST_DEVICE explicit BlockCarried(const CarriedBatch& batch)
      : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const FillTarget& target = batch_.at(batch_.targets)[number];
    const FillOp& op = batch_.at(batch_.ops)[target.begin];  // a slot has one
    const int first = batch_.layout.unknowns + batch_.layout.fields;
    double* const slot = batch_.at(target.slot);
    for (int row = first; row < first + batch_.layout.carried; ++row) {
      double* const to = slot + row * shape_.unknown_stride;
      if (op.kind == Kind::restrict_parts) {
        const FillPart* const parts = batch_.at(batch_.parts) + op.first_part;
        volumes(block, [&](int, const int* i) {
          double value;
          if (restricted_value<D>(batch_.layout, shape_, batch_.at, op, parts, row, i, value))
            to[shape_.at(i)] = value;
        });
        continue;
      }
      const double* const from = batch_.at(op.source) + row * shape_.unknown_stride;
      if (op.kind == Kind::copy) {
        volumes(block, [&](int, const int* i) { to[shape_.at(i)] = from[shape_.at(i)]; });
        if (op.lower[0] < 0) continue_linearly(block, to);
      } else {
        std::int8_t child[3] = {0, 0, 0};
        for (int a = 0; a < D; ++a) child[a] = static_cast<std::int8_t>(op.shift[a] / shape_.p);
        volumes(block, [&](int volume, const int* i) {
          to[shape_.at(i)] = poisson::interpolated_at<D>(shape_, child, from, volume);
        });
      }
    }
  }

 private:
  template <class Block, class Body>
  MEANDER_TERM void volumes(const Block& block, const Body& body) const {
    block.for_each(shape_.volumes(), [&](int volume) {
      int i[3] = {0, 0, 0};
      shape_.volume(volume, i);
      body(volume, i);
    });
  }
  // The layer beyond each face along one axis after another, each with the layers of those before.
  template <class Block>
  MEANDER_TERM void continue_linearly(const Block& block, double* values) const {
    const int p = shape_.p;
    for (int axis = 0; axis < D; ++axis) {
      block.sync();
      const int tangential = D - 1, wide = p + 2;
      int extent[2] = {1, 1}, lower[2] = {0, 0};
      for (int n = 0; n < tangential; ++n) {
        const bool has_layers = (n < axis ? n : n + 1) < axis;
        extent[n] = has_layers ? wide : p;
        lower[n] = has_layers ? -1 : 0;
      }
      const int area = extent[0] * extent[1], step = shape_.stride(axis);
      block.for_each(2 * area, [&](int item) {
        const bool is_upper = item >= area;
        const int s = lower[0] + item % area % extent[0], t = lower[1] + item % area / extent[0];
        const int along = is_upper ? p : -1;
        const int i[3] = {axis == 0 ? along : s,
                          axis == 1   ? along
                          : axis == 0 ? s
                                      : t,
                          axis == 2 ? along : t};
        double* const beyond = values + shape_.at(i);
        const int inwards = is_upper ? -step : step;
        *beyond = 2 * beyond[inwards] - beyond[2 * inwards];
      });
    }
  }

  CarriedBatch batch_;
  SlotShape<D> shape_;
};

}  // namespace meander::solvers
