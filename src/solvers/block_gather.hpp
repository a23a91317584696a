// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel of samples at points. An item is one unknown at one point, so that few unknowns at many points, or many at few,
// fill the threads of a block alike. Usable in device code.

#include "solvers/block_patch.hpp"
#include "solvers/gather.hpp"

namespace meander::solvers {

class BlockGather {
 public:
  MEANDER_HOST_DEVICE explicit BlockGather(const GatherBatch& batch) : batch_(batch) {}

  static int blocks(const GatherBatch& batch) {
    return (batch.count * batch.query.unknowns + items - 1) / items;
  }

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const int begin = number * items, left = batch_.count * batch_.query.unknowns - begin;
    block.for_each(left < items ? left : items, [&](int i) {
      const int item = begin + i, point = item / batch_.query.unknowns;
      const PointInPatch& of = batch_.at(batch_.points)[point];
      const PointStencil& stencil = of.stencil;
      const double* const first = batch_.at(batch_.at(batch_.patches)[of.patch].q) +
                                  batch_.layout.at(0, stencil.first[0], stencil.first[1], stencil.first[2]);
      double* const sample =
          batch_.at(batch_.samples) +
          static_cast<std::ptrdiff_t>(point) * static_cast<std::ptrdiff_t>(batch_.query.sample_size());
      sample_unknown<false>(stencil, first, batch_.layout, batch_.query, item % batch_.query.unknowns,
                            sample);
    });
  }

 private:
  static constexpr int items = 128;  // of a block: its threads on a GPU

  GatherBatch batch_;
};

}  // namespace meander::solvers
