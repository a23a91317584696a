// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prolongation by a block of threads, with the operations of prolongation.hpp and interpolation.hpp in the
// same order. Usable in device code.

#include "solvers/block_restrict.hpp"
#include "solvers/boxes.hpp"
#include "solvers/lagrange.hpp"
#include "solvers/pde.hpp"

namespace meander::solvers {

template <Pde P>
class BlockProlong {
  static constexpr int D = P::dim, N = P::unknowns;
  using Shape = SlotShape<D>;

 public:
  MEANDER_HOST_DEVICE BlockProlong(const P& pde, const PatchLayout& layout, Prolongation prolongation)
      : pde_(pde), layout_(layout), shape_(layout), prolongation_(prolongation) {}

  // Sets the fine volumes of a box: volume i has fine index i + offset in the coarse cell.
  template <class Block>
  MEANDER_TERM void prolong(const Block& block, double* fine, const double* coarse, const std::int16_t* lower,
                            const std::int16_t* extent, const std::int16_t* offset) const {
    if (prolongation_ == Prolongation::centred) {
      block.for_each(volumes_of_box<D>(extent), [&](int item) {
        int f[3] = {0, 0, 0};
        volume_of_box<D>(lower, extent, item, f);
        interpolate(fine, coarse, f, extent, offset);
      });
      return;
    }
    // One item is a coarse volume with all its fine volumes in the box.
    std::int16_t coarse_lower[3] = {0, 0, 0}, coarse_extent[3] = {1, 1, 1};
    for (int a = 0; a < D; ++a) {
      const int first = lower[a] + offset[a];
      coarse_lower[a] = static_cast<std::int16_t>(floor_third(first));
      coarse_extent[a] = static_cast<std::int16_t>(floor_third(first + extent[a] - 1) - coarse_lower[a] + 1);
    }
    block.for_each(volumes_of_box<D>(coarse_extent), [&](int item) {
      int c[3] = {0, 0, 0};
      volume_of_box<D>(coarse_lower, coarse_extent, item, c);
      volume(fine, coarse, c, lower, extent, offset);
    });
  }

 private:
  MEANDER_TERM static double minmod(double a, double b) {
    const double smaller = abs(a) < abs(b) ? a : b;
    return a * b > 0.0 ? smaller : 0.0;
  }
  MEANDER_TERM double interior_slope(const double* q, int stride, int i) const {
    if (i == 0) return minmod(q[stride] - q[0], q[2 * stride] - q[stride]);
    if (i == shape_.p - 1) return minmod(q[0] - q[-stride], q[-stride] - q[-2 * stride]);
    return minmod(q[0] - q[-stride], q[stride] - q[0]);
  }

  // The fine volumes of coarse volume c that lie in the box.
  MEANDER_TERM void volume(double* fine, const double* coarse, const int* c, const std::int16_t* lower,
                           const std::int16_t* extent, const std::int16_t* offset) const {
    double value[N], slope[N][D];
    const double* const q = coarse + shape_.at(c);
    for (int n = 0; n < N; ++n) value[n] = q[n * shape_.unknown_stride];
    const bool linear = prolongation_ == Prolongation::limited_linear;
    if (linear) {
      for (int n = 0; n < N; ++n) {
        for (int a = 0; a < D; ++a)
          slope[n][a] = interior_slope(q + n * shape_.unknown_stride, shape_.stride(a), c[a]);
      }
      if (!corners_admissible(value, slope)) {
        for (int n = 0; n < N; ++n) {
          for (int a = 0; a < D; ++a) slope[n][a] = 0;
        }
      }
    }
    int begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    for (int a = 0; a < D; ++a) {
      const int first = 3 * c[a] - offset[a], box_end = lower[a] + extent[a];
      begin[a] = first > lower[a] ? first : lower[a];
      end[a] = first + 3 < box_end ? first + 3 : box_end;
    }
    int f[3] = {0, 0, 0};
    for (f[D - 1] = begin[D - 1]; f[D - 1] < end[D - 1]; ++f[D - 1]) {
      for (f[D - 2] = begin[D - 2]; f[D - 2] < end[D - 2]; ++f[D - 2]) {
        if constexpr (D == 2) {
          set(fine, f, c, offset, linear, value, slope);
        } else {
          for (f[0] = begin[0]; f[0] < end[0]; ++f[0]) set(fine, f, c, offset, linear, value, slope);
        }
      }
    }
  }
  MEANDER_TERM void set(double* fine, const int* f, const int* c, const std::int16_t* offset, bool linear,
                        const double* value, const double (*slope)[D]) const {
    double* const to = fine + shape_.at(f);
    double place[D];
    for (int a = 0; a < D; ++a) place[a] = (f[a] + offset[a] - 3 * c[a] - 1) / 3.0;
    for (int n = 0; n < N; ++n) {
      double all = value[n];
      if (linear) {
        all = value[n] + place[0] * slope[n][0];
        for (int a = 1; a < D; ++a) all += place[a] * slope[n][a];
      }
      to[n * shape_.unknown_stride] = all;
    }
  }
  MEANDER_TERM bool corners_admissible(const double* value, const double (*slope)[D]) const {
    double corner[N];
    for (int k = 0; k < (1 << D); ++k) {
      for (int n = 0; n < N; ++n) {
        corner[n] = value[n];
        for (int a = 0; a < D; ++a) corner[n] += ((k >> a) & 1 ? 1.0 / 3.0 : -1.0 / 3.0) * slope[n][a];
      }
      if (!pde_.admissible(corner)) return false;
    }
    return true;
  }

  // ---- point values

  MEANDER_TERM void interpolate(double* fine, const double* coarse, const int* f, const std::int16_t* extent,
                                const std::int16_t* offset) const {
    int c[3] = {0, 0, 0}, third[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      c[a] = floor_third(f[a] + offset[a]);
      third[a] = f[a] + offset[a] - 3 * c[a] - 1;
    }
    int order[3];
    interpolation_order<D>(extent, order);
    // The last axis of the tensor product is the outermost one of the nested evaluation.
    int step[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) step[a] = third[order[a]] * shape_.stride(order[a]);
    const double* const from = coarse + shape_.at(c);
    double* const to = fine + shape_.at(f);
    double q[N];
    const int reach = layout_.h < 3 ? layout_.h : 3;
    for (int n = 0; n < N; ++n) {
      const double* const centre = from + n * shape_.unknown_stride;
      q[n] = reach == 3   ? nested<3, D - 1>(centre, step)
             : reach == 2 ? nested<2, D - 1>(centre, step)
                          : nested<1, D - 1>(centre, step);
    }
    const bool keeps = pde_.admissible(q);
    for (int n = 0; n < N; ++n)
      to[n * shape_.unknown_stride] = keeps ? q[n] : from[n * shape_.unknown_stride];
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
