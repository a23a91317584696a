// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel of the numbers by which refinement criteria decide, with the operations of simulation/criteria in the
// same order. One block a patch. Usable in device code.

#include "solvers/block.hpp"
#include "solvers/block_restrict.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

// The number of quantities that device code can compute: the unknowns, then P::quantity(k, q) for k = 0 ..
// P::device_quantities - 1, which are in the same order in Solver::derived().
template <Pde P>
constexpr int device_quantities() {
  if constexpr (requires { P::device_quantities; }) {
    return P::unknowns + P::device_quantities;
  } else {
    return P::unknowns;
  }
}

template <Pde P>
class BlockMeasure {
  static constexpr int D = P::dim, N = P::unknowns;
  using Kind = LeafMeasure::Kind;

 public:
  MEANDER_HOST_DEVICE BlockMeasure(const P& pde, const MeasureBatch& batch)
      : pde_(pde), batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const double* const slot = batch_.at(batch_.at(batch_.patches)[number].q);
    BlockStatus status;  // its maximum is that of the volumes
    if (batch_.measure.kind == Kind::largest_value) status.max_rate = -__builtin_huge_val();
    block.for_each(shape_.volumes(), status, [&](int item, BlockStatus& mine) {
      int i[3] = {0, 0, 0};
      shape_.volume(item, i);
      mine.max_rate = max(of_volume(slot + shape_.at(i)), mine.max_rate);
    });
    block.collect(status);
    if (block.leads()) batch_.at(batch_.values)[number] = status.max_rate;
  }

 private:
  // A quantity in a volume, given by its first unknown.
  MEANDER_TERM double value(const double* volume, int quantity) const {
    if (quantity < N) return volume[quantity * shape_.unknown_stride];
    if constexpr (device_quantities<P>() > N) {
      double q[N];
      for (int n = 0; n < N; ++n) q[n] = volume[n * shape_.unknown_stride];
      return pde_.quantity(quantity - N, q);
    }
    return 0;
  }
  MEANDER_TERM static double relative_jump(double a, double b) {
    const double scale = max(abs(a), abs(b));
    return abs(a - b) / (scale > 0 ? scale : 1.0);
  }

  MEANDER_TERM double of_volume(const double* volume) const {
    const double u = value(volume, batch_.measure.quantity);
    if (batch_.measure.kind == Kind::largest_value) return u;
    const bool is_ratio = batch_.measure.kind == Kind::largest_ratio;
    const int other = is_ratio ? batch_.measure.divisor : batch_.measure.quantity;
    double jump = 0, curvature = 0, slopes = 0;
    MEANDER_ROLL
    for (int a = 0; a < D; ++a) {
      const double above = value(volume + (is_ratio ? 0 : shape_.stride(a)), other);
      if (is_ratio)
        return u / (above * above);  // `above` is the divisor, here: one more call would cost registers
      const double below = value(volume - shape_.stride(a), other);
      if (batch_.measure.kind == Kind::largest_jump) {
        jump = max(max(relative_jump(u, above), relative_jump(u, below)), jump);
        continue;
      }
      const double second = above - 2 * u + below;
      const double first =
          abs(above - u) + abs(u - below) + batch_.measure.filter * (abs(above) + 2 * abs(u) + abs(below));
      curvature += second * second;
      slopes += first * first;
    }
    if (batch_.measure.kind == Kind::largest_jump) return jump;
    return slopes > 0 ? curvature / slopes : 0.0;
  }

  P pde_;
  MeasureBatch batch_;
  SlotShape<D> shape_;
};

}  // namespace meander::solvers
