// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sum of an unknown over the interior of a patch, row by row, and the kernel that computes the sums of all
// unknowns of all patches. One block a patch, a thread an unknown. Usable in device code.

#include "solvers/block_restrict.hpp"

namespace meander::solvers {

// `unknown`: the values of one unknown in a slot.
template <int D>
MEANDER_TERM double sum_over_interior(const SlotShape<D>& shape, const double* unknown) {
  double sum = 0;
  int i[3] = {0, 0, 0};
  for (int k = 0; k < (D == 3 ? shape.p : 1); ++k) {
    for (int j = 0; j < shape.p; ++j) {
      i[1] = j;
      i[2] = k;
      const double* const row = unknown + shape.at(i);
      double of_row = 0;
      for (int x = 0; x < shape.p; ++x) of_row += row[x];
      sum += of_row;
    }
  }
  return sum;
}

template <int D>
class BlockTotals {
 public:
  MEANDER_HOST_DEVICE explicit BlockTotals(const TotalsBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const double* const slot = batch_.at(batch_.at(batch_.patches)[number].q);
    const int unknowns = batch_.layout.unknowns;
    double* const sums = batch_.at(batch_.sums) + static_cast<std::ptrdiff_t>(number) * unknowns;
    block.for_each(unknowns,
                   [&](int n) { sums[n] = sum_over_interior<D>(shape_, slot + n * shape_.unknown_stride); });
  }

 private:
  TotalsBatch batch_;
  SlotShape<D> shape_;
};

}  // namespace meander::solvers
