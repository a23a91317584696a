// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schemes of rusanov_fused.hpp and fourth_order.hpp on one patch by a block of threads: for each volume
// the same operations in the same order. The unknowns and their derivatives do not fit into the registers of
// a thread. Each phase therefore keeps the rates of one group of unknowns, and the compiler omits from the
// phase the operations that these rates do not need. Common subexpressions of several groups are computed
// once a group. Usable in device code.

#include "solvers/block_patch.hpp"
#include "solvers/radiative.hpp"

namespace meander::solvers {

// An equation that assigns its rates to groups that are best computed together.
template <class P>
concept Grouped = FusedRhs<P> && P::rate_groups >
0 && requires(int n) {
  { P::rate_group(n) } -> std::convertible_to<int>;
};

// Common base of both schemes. h: halo width.
template <Grouped P, int h>
class BlockFused {
 protected:
  static constexpr int N = P::unknowns;
  using Shape = BlockShape<3, N, h, 0>;

  MEANDER_HOST_DEVICE BlockFused(const P& pde, const DeviceBatch& batch)
      : step_(pde, batch), shape_(batch.layout.p) {}

  struct Volume {
    int i, j, k;
  };
  MEANDER_TERM Volume volume(int item) const {
    const int p = shape_.p();
    return {item % p, item / p % p, item / (p * p)};
  }

  // Calls each.template operator()<group>(item) for all volumes, group after group.
  template <class Block, class Each>
  MEANDER_TERM void by_groups(const Block& block, const Each& each) const {
    [&]<int... group>(std::integer_sequence<int, group...>) {
      (groups<group>(block, each), ...);
    }
    (std::make_integer_sequence<int, P::rate_groups>());
  }

  // The last phase, after all unknowns have their new values: enforces constraints and floors, and collects
  // the status.
  template <class Block>
  MEANDER_TERM void enter(const Block& block, const DevicePatch& patch, BlockStatus& status) const {
    block.for_each(shape_.volumes(), status, [&](int item, BlockStatus& mine) {
      const Volume at = volume(item);
      double* const next = global(patch.next) + item;
      double q[N];
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) q[n] = next[n * shape_.volumes()];
      step_.finish(patch, q, at.i, at.j, at.k, item, mine);
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) next[n * shape_.volumes()] = q[n];
    });
  }

  BlockStep<P> step_;
  Shape shape_;

 private:
  template <int group, class Block, class Each>
  MEANDER_TERM void groups(const Block& block, const Each& each) const {
    block.for_each(shape_.volumes(), [&](int item) { each.template operator()<group>(item); });
    block.sync();
  }
};

template <Grouped P>
class BlockRusanovFused : private BlockFused<P, 1> {
  using Base = BlockFused<P, 1>;
  using Base::N, Base::shape_, Base::step_;

 public:
  using Equation = P;
  static constexpr int registers = 255;

  MEANDER_HOST_DEVICE BlockRusanovFused(const P& pde, const DeviceBatch& batch) : Base(pde, batch) {}

  // Holds the wave speeds along the axes, in the interior and the halo.
  static constexpr std::ptrdiff_t memory(int p) { return std::ptrdiff_t{3} * (p + 2) * (p + 2) * (p + 2); }

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status,
                           double* memory) const {
    const int edge = shape_.edge(), plane = shape_.slot_plane(), box = plane * edge;
    block.for_each(box, [&](int item) {
      const int i = item % edge - 1, j = item / edge % edge - 1, k = item / plane - 1;
      if (shape_.outside(i) + shape_.outside(j) + shape_.outside(k) > 1) return;
      const double* const from = global(patch.q) + item;
      double q[N], speed[3];
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) q[n] = from[n * shape_.unknown_stride()];
      step_.pde.auxiliary(q, speed);
      for (int a = 0; a < 3; ++a) memory[a * box + item] = speed[a];
    });
    block.sync();
    this->by_groups(block, [&]<int group>(int item) { rates<group>(patch, item, memory); });
    this->enter(block, patch, status);
  }

 private:
  struct Faces {
    double below, above;
  };

  template <int group>
  MEANDER_TERM void rates(const DevicePatch& patch, int item, const double* speed) const {
    const auto volume = this->volume(item);
    const int at = shape_.in_slot(volume.i, volume.j, volume.k), box = shape_.slot_plane() * shape_.edge();
    const int strides[3] = {1, shape_.edge(), shape_.slot_plane()};
    const double half = 0.5 / patch.dx, spread = 0.5 * step_.dt / patch.dx;
    const double* const slot = global(patch.q) + at;
    double* const next = global(patch.next) + item;
    double q[N], gradient[3 * N], diffusion[N], rate[N];
    Faces faces[3];
    MEANDER_UNROLL
    for (int a = 0; a < 3; ++a) {
      const double* lambda = speed + a * box + at;
      faces[a] = {max(lambda[-strides[a]], lambda[0]), max(lambda[0], lambda[strides[a]])};
    }
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      const double* centre = slot + n * shape_.unknown_stride();
      q[n] = *centre;
      MEANDER_UNROLL
      for (int a = 0; a < 3; ++a) {
        const double below = q[n] - centre[-strides[a]], above = centre[strides[a]] - q[n];
        gradient[a * N + n] = half * (below + above);
        const double along = fma(faces[a].above, above, -(faces[a].below * below));
        diffusion[n] = a == 0 ? along : diffusion[n] + along;
      }
    }
    step_.pde.rates(q, gradient, rate);
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      if (P::rate_group(n) != group) continue;
      next[n * shape_.volumes()] = fma(step_.dt, rate[n], fma(spread, diffusion[n], q[n]));
    }
  }
};

// radiates: true for batches with radiative faces. It adds a phase, for which the compiler would take
// registers in all other batches.
template <Grouped P, bool radiates>
class BlockFourthOrder : private BlockFused<P, 3> {
  static_assert(!radiates || Radiating<P>);
  using Base = BlockFused<P, 3>;
  using Base::N, Base::shape_, Base::step_;

 public:
  using Equation = P;
  static constexpr int registers = 255;

  MEANDER_HOST_DEVICE BlockFourthOrder(const P& pde, const DeviceBatch& batch)
      : Base(pde, batch),
        stage_(batch.stage),
        stage_block_(static_cast<int>(batch.layout.stage_block_size())) {}

  static constexpr std::ptrdiff_t memory(int) { return 0; }

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status, double*) const {
    this->by_groups(block, [&]<int group>(int item) { rates<group>(patch, item); });
    if constexpr (radiates) {
      block.for_each(shape_.volumes(), [&](int item) { radiate(patch, item); });
      block.sync();
    }
    this->enter(block, patch, status);
  }

 private:
  MEANDER_TERM bool waves_leave(const DevicePatch& patch, const typename Base::Volume& volume) const {
    return radiates && at_radiative_face(patch.radiative, shape_.p(), volume.i, volume.j, volume.k);
  }

  // Rates of the volumes next to radiative faces, which rates() leaves out.
  MEANDER_TERM void radiate(const DevicePatch& patch, int item) const {
    const auto volume = this->volume(item);
    if (!waves_leave(patch, volume)) return;
    const double* centre = global(patch.q) + shape_.in_slot(volume.i, volume.j, volume.k);
    const std::ptrdiff_t strides[3] = {1, shape_.edge(), shape_.slot_plane()};
    const double x[3] = {patch.lower[0] + (volume.i + 0.5) * patch.dx,
                         patch.lower[1] + (volume.j + 0.5) * patch.dx,
                         patch.lower[2] + (volume.k + 0.5) * patch.dx};
    const CentredPoint point(centre, shape_.unknown_stride(), strides, patch.dx);
    step_.pde.radiate(point, x, [&](int n, double rate) {
      advance(patch, n * shape_.volumes() + item, point.value(n), rate);
    });
  }

  template <int group>
  MEANDER_TERM void rates(const DevicePatch& patch, int item) const {
    const auto volume = this->volume(item);
    if (waves_leave(patch, volume)) return;
    const int at = shape_.in_slot(volume.i, volume.j, volume.k);
    const int strides[3] = {1, shape_.edge(), shape_.slot_plane()};
    const double dx = patch.dx, dissipation = step_.pde.dissipation();
    const double near = 2.0 / (3.0 * dx), far = -1.0 / (12.0 * dx), damping = dissipation / (64.0 * dx);
    const double* const slot = global(patch.q) + at;
    double q[N], gradient[3 * N], damped[N], rate[N];
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      const double* centre = slot + n * shape_.unknown_stride();
      q[n] = *centre;
      double sixth = -60.0 * q[n];
      MEANDER_UNROLL
      for (int a = 0; a < 3; ++a) {
        const int s = strides[a];
        const double below[3] = {centre[-s], centre[-2 * s], centre[-3 * s]};
        const double above[3] = {centre[s], centre[2 * s], centre[3 * s]};
        gradient[a * N + n] = fma(near, above[0] - below[0], far * (above[1] - below[1]));
        sixth = sixth + fma(15.0, above[0] + below[0], fma(-6.0, above[1] + below[1], above[2] + below[2]));
      }
      damped[n] = damping * sixth;
    }
    step_.pde.rates(q, gradient, rate);
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      if (P::rate_group(n) == group) advance(patch, n * shape_.volumes() + item, q[n], rate[n] + damped[n]);
    }
  }

  // One stage of the classical Runge-Kutta method, for one unknown of one volume.
  MEANDER_TERM void advance(const DevicePatch& patch, int at, double q, double rate) const {
    const double reach = stage_ < 2 ? 0.5 : stage_ == 2 ? 1.0 : 1.0 / 6.0, by = reach * step_.dt;
    double *const start = global(patch.stages) + at, *const sum = start + stage_block_;
    double* const next = global(patch.next) + at;
    if (stage_ == 0) {
      *start = q;
      *sum = rate;
      *next = fma(by, rate, q);
    } else if (stage_ < 3) {
      *sum = fma(2.0, rate, *sum);
      *next = fma(by, rate, *start);
    } else {
      *next = fma(by, *sum + rate, *start);
    }
  }

  int stage_, stage_block_;
};

// Calls body(std::type_identity<Kernel>()) for the fourth-order kernel that fits the batch.
template <Grouped P, class Body>
void with_fourth_order(const DeviceBatch& batch, const Body& body) {
  if (batch.radiates) return body(std::type_identity<BlockFourthOrder<P, true>>());
  body(std::type_identity<BlockFourthOrder<P, false>>());
}

}  // namespace meander::solvers
