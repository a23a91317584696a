// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prolongation by a block of threads, with the operations of prolongation.hpp and interpolation.hpp in the
// same order. Usable in device code.

#include "solvers/block_restrict.hpp"
#include "solvers/boxes.hpp"
#include "solvers/lagrange.hpp"
#include "solvers/limited_slope.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

template <Pde P>
class BlockProlong {
  static constexpr int D = P::dim, N = P::unknowns;
  using Shape = SlotShape<D>;

 public:
  MEANDER_HOST_DEVICE BlockProlong(const P& pde, const PatchLayout& layout, Prolongation prolongation)
      : pde_(pde), layout_(layout), shape_(layout), prolongation_(prolongation) {}

  // Sets the fine volumes of a box: volume i has fine index i + offset in the coarse cell. No thread holds a
  // state with all its slopes: what is examined for admissibility is loaded again if it has many unknowns. Needs no barrier
  // before or after.
  template <class Block>
  MEANDER_TERM void prolong(const Block& block, double* fine, const double* coarse, const std::int16_t* lower,
                            const std::int16_t* extent, const std::int16_t* offset) const {
    if (prolongation_ == Prolongation::centred) {
      int order[3] = {0, 0, 0};
      interpolation_order<D>(extent, order);
      return block.for_each(volumes_of_box<D>(extent), [&](int item) {
        int f[3] = {0, 0, 0};
        volume_of_box<D>(lower, extent, item, f);
        interpolate(fine + shape_.at(f), coarse, Fine(f, offset), order);
      });
    }
    // One item is an unknown of a coarse volume, with all its fine volumes in the box; of many unknowns all of them, as
    // each item examines the whole state.
    constexpr int items_of_volume = N > most_in_registers ? 1 : N;
    std::int16_t coarse_lower[3] = {0, 0, 0}, coarse_extent[3] = {1, 1, 1};
    for (int a = 0; a < D; ++a) {
      const int first = lower[a] + offset[a];
      coarse_lower[a] = static_cast<std::int16_t>(floor_third(first));
      coarse_extent[a] = static_cast<std::int16_t>(floor_third(first + extent[a] - 1) - coarse_lower[a] + 1);
    }
    const bool reads_halo = is_in_new_leaf<D>(lower, extent, shape_.p);
    block.for_each(volumes_of_box<D>(coarse_extent) * items_of_volume, [&](int item) {
      int c[3] = {0, 0, 0};
      volume_of_box<D>(coarse_lower, coarse_extent, item / items_of_volume, c);
      const double* const from = global(coarse + shape_.at(c));
      const bool has_slopes = prolongation_ == Prolongation::limited_linear;
      const bool sloping = has_slopes && may_slope(from, c, reads_halo);
      int begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
      for (int a = 0; a < D; ++a) {
        const int first = 3 * c[a] - offset[a], box_end = lower[a] + extent[a];
        begin[a] = first > lower[a] ? first : lower[a];
        end[a] = first + 3 < box_end ? first + 3 : box_end;
      }
      const int first_unknown = item % items_of_volume;
      for (int n = first_unknown; n < N; n += items_of_volume) {
        const double* const own = from + n * shape_.unknown_stride;
        double* const to = fine + n * shape_.unknown_stride;
        double step[D] = {};
        for (int a = 0; a < D && sloping; ++a) step[a] = step_along(own, a, c[a], reads_halo);
        extend(to, *own, step, has_slopes, c, begin, end, offset);
      }
    });
    if constexpr (Redundant<P>) {
      if (prolongation_ == Prolongation::limited_linear) complete(block, fine, coarse, lower, extent, offset);
    }
  }

 private:
  // Where a fine volume lies: in coarse volume `coarse`, `third` thirds of its width from its centre.
  struct Fine {
    MEANDER_TERM Fine(const int* f, const std::int16_t* offset) {
      for (int a = 0; a < D; ++a) {
        coarse[a] = floor_third(f[a] + offset[a]);
        third[a] = f[a] + offset[a] - 3 * coarse[a] - 1;
      }
    }
    int coarse[3] = {0, 0, 0}, third[3] = {0, 0, 0};
  };

  // ---- means
  static constexpr double third = 1.0 / 3.0;

  // How an unknown differs over a third of a coarse volume along an axis, where its index is i.
  MEANDER_TERM double step_along(const double* q, int axis, int i, bool reads_halo) const {
    const int up = shape_.stride(axis);
    const bool is_first = i == 0, is_last = i == shape_.p - 1;
    if (reads_halo || !(is_first || is_last)) return third * minmod(q[0] - q[-up], q[up] - q[0]);
    const int inwards = is_first ? up : -up;
    return third * slope_at_border<double>(differences_at_border(shape_.p), [&](int m) {
             const double value = q[m * inwards], next = q[(m + 1) * inwards];
             return is_first ? next - value : value - next;
           });
  }

  // One unknown of the fine volumes begin .. end - 1 of coarse volume c. Without slopes, steps of zero
  // are added, which loses the sign of -0, as on the CPU.
  MEANDER_TERM void extend(double* fine, double own, const double* step, bool has_slopes, const int* c,
                           const int* begin, const int* end, const std::int16_t* offset) const {
    for (int k = begin[2]; k < end[2]; ++k) {
      for (int j = begin[1]; j < end[1]; ++j) {
        for (int i = begin[0]; i < end[0]; ++i) {
          const int f[3] = {i, j, k};
          double sum = own;
          for (int a = 0; has_slopes && a < D; ++a)
            sum = shifted(sum, f[a] + offset[a] - 3 * c[a] - 1, step[a]);
          fine[shape_.at(f)] = sum;
        }
      }
    }
  }
  // The redundant unknown of the fine volumes of a box, after all others. Inlined, it would make the loops before it spill.
  template <class Block>
  __attribute__((noinline)) MEANDER_HOST_DEVICE void complete(const Block& block, double* fine,
                                                              const double* coarse, const std::int16_t* lower,
                                                              const std::int16_t* extent,
                                                              const std::int16_t* offset) const {
    block.sync();
    block.for_each(volumes_of_box<D>(extent), [&](int item) {
      int f[3] = {0, 0, 0};
      volume_of_box<D>(lower, extent, item, f);
      double q[N];
      load(global(coarse + shape_.at(Fine(f, offset).coarse)), q);
      if (!pde_.is_redundant(q)) return;
      double* const to = global(fine + shape_.at(f));
      load(to, q);
      to[P::redundant * shape_.unknown_stride] = pde_.from_others(q);
    });
  }
  MEANDER_TERM void load(const double* volume, double* q) const {
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) q[n] = volume[n * shape_.unknown_stride];
  }

  // The 2^D outermost fine values decide, as on the CPU.
  MEANDER_TERM bool may_slope(const double* from, const int* c, bool reads_halo) const {
    if constexpr (N > most_in_registers) {
      static_assert(
          !requires { P::kept; }, "its own state would have to stay in registers");
      for (int corner = 0; corner < (1 << D); ++corner) {
        const double* const volume = from + unknown_zero();  // slopes kept for all corners would spill
        double q[N];
        MEANDER_ROLL
        for (int n = 0; n < N; ++n) q[n] = at_corner(volume, n, corner, c, reads_halo);
        if (!pde_.admissible(q)) return false;
      }
    } else {
      double own[N], step[N][D];
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) {
        const double* const volume = global(from + n * shape_.unknown_stride);
        own[n] = *volume;
        MEANDER_UNROLL
        for (int a = 0; a < D; ++a) step[n][a] = step_along(volume, a, c[a], reads_halo);
      }
      for (int corner = 0; corner < (1 << D); ++corner) {
        double q[N];
        MEANDER_UNROLL
        for (int n = 0; n < N; ++n) {
          q[n] = own[n];
          MEANDER_UNROLL
          for (int a = 0; a < D; ++a) q[n] = shifted(q[n], (corner >> a) & 1 ? 1 : -1, step[n][a]);
        }
        if (!continues(pde_, own, q)) return false;
      }
    }
    return true;
  }
  // The unknowns whose slopes are kept; states with more are in local memory.
  static constexpr int most_in_registers = 16;
  MEANDER_TERM double at_corner(const double* volume, int n, int corner, const int* c,
                                bool reads_halo) const {
    const double* const own = global(volume + n * shape_.unknown_stride);
    double value = *own;
    for (int a = 0; a < D; ++a)
      value = shifted(value, (corner >> a) & 1 ? 1 : -1, step_along(own, a, c[a], reads_halo));
    return value;
  }

  // ---- point values

  // Sets all unknowns of a fine volume. The last axis of the tensor product is the outermost one of the nested
  // evaluation.
  MEANDER_TERM void interpolate(double* to, const double* coarse, const Fine& at, const int* order) const {
    int step[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) step[a] = at.third[order[a]] * shape_.stride(order[a]);
    const double* const from = global(coarse + shape_.at(at.coarse));
    const int reach = layout_.h < 3 ? layout_.h : 3;
    for (int n = 0; n < N; ++n) {
      const double* const centre = global(from + n * shape_.unknown_stride);
      to[n * shape_.unknown_stride] = reach == 3   ? nested<3, D - 1>(centre, step)
                                      : reach == 2 ? nested<2, D - 1>(centre, step)
                                                   : nested<1, D - 1>(centre, step);
    }
    double q[N];
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) q[n] = to[n * shape_.unknown_stride];
    if (pde_.admissible(q)) return;
    for (int n = 0; n < N; ++n) to[n * shape_.unknown_stride] = from[n * shape_.unknown_stride];
  }
  // The value after the sweeps along the axes number 0 .. `axis` of the order.
  template <int R, int axis>
  MEANDER_TERM static double nested(const double* q, const int* step) {
    const auto at = [&](int m) {
      if constexpr (axis == 0) {
        return q[m * step[0]];
      } else {
        return nested<R, axis - 1>(q + m * step[axis], step);
      }
    };
    const double own = at(0);
    if (step[axis] == 0) return own;
    double sum = own;
    for (int m = 1; m <= R; ++m) {
      sum += weight_at_a_third<R>(R - 1 + m) * (at(m) - own);
      if (m < R) sum += weight_at_a_third<R>(R - 1 - m) * (at(-m) - own);
    }
    return sum;
  }

  P pde_;
  PatchLayout layout_;
  Shape shape_;
  Prolongation prolongation_;
};

}  // namespace meander::solvers
