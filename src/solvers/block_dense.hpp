// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel that fills halos beside a level within its step: BlockFill after dense output (dense_output.hpp), in one
// launch. A block sets the combined state of one slot, in its interior and in what it holds of other sources,
// then the rest of that slot's halo. Thus no block reads what another one combines. Usable in device code.

#include "solvers/block_fill.hpp"

namespace meander::solvers {

template <Pde P>
class BlockDenseFill {
  static constexpr int D = P::dim, N = P::unknowns;

 public:
  MEANDER_HOST_DEVICE BlockDenseFill(const P& pde, const DenseFillBatch& batch)
      : batch_(batch), shape_(batch.layout), pde_(pde), fill_(pde, batch) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    if (number < batch_.shared || number >= batch_.fills)
      combine(block, number < batch_.shared ? number : number - batch_.fills + batch_.shared);
    if (number < batch_.fills) fill_.run(block, number);
  }

 private:
  // Operations of the first phase of the fill write other volumes; later phases are behind a barrier.
  template <class Block>
  MEANDER_TERM void combine(const Block& block, int number) const {
    const FillTarget& target = batch_.at(batch_.dense)[number];
    double* const slot = global(batch_.at(target.slot));
    for (int n = target.begin; n < target.end; ++n) combine(block, batch_.at(batch_.dense_ops)[n], slot);
  }

  template <class Block>
  MEANDER_TERM void combine(const Block& block, const DenseOp& op, double* slot) const {
    const DenseSource& source = batch_.at(batch_.sources)[op.source];
    const int volumes = shape_.volumes(), volumes_kept = volumes_of_box<D>(source.extent);
    const double *const end = global(batch_.at(source.slot)), *const start = global(batch_.at(source.stages)),
                        *const sum = start + batch_.layout.stage_block_size(),
                        *const first = global(batch_.at(source.kept)),
                        *const second = first + N * volumes_kept;
    block.for_each(volumes_of_box<D>(op.extent), [&](int item) {
      int i[3] = {0, 0, 0}, from[3] = {0, 0, 0}, in_box[3] = {0, 0, 0};
      volume_of_box<D>(op.lower, op.extent, item, i);
      for (int a = 0; a < D; ++a) {
        from[a] = i[a] + op.shift[a];
        in_box[a] = from[a] - source.lower[a];
      }
      const int of_block = shape_.number(from), of_slot = shape_.at(from);
      const int kept = (in_box[2] * source.extent[1] + in_box[1]) * source.extent[0] + in_box[0];
      double q[N];
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) {
        q[n] = batch_.factors.value(start[n * volumes + of_block], first[n * volumes_kept + kept],
                                    second[n * volumes_kept + kept], sum[n * volumes + of_block],
                                    end[n * shape_.unknown_stride + of_slot]);
      }
      if constexpr (Floored<P>) pde_.enforce(q);
      double* const to = slot + shape_.at(i);
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) to[n * shape_.unknown_stride] = q[n];
    });
  }

  DenseFillBatch batch_;
  SlotShape<D> shape_;
  P pde_;
  BlockFill<P> fill_;
};

}  // namespace meander::solvers
