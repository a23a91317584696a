// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schemes of rusanov_fused.hpp and fourth_order.hpp on one patch by a block of threads: for each volume
// the same operations in the same order. The unknowns and their derivatives do not fit into the registers of
// a thread. Each part of a phase therefore keeps the rates of one group of unknowns, and the compiler omits
// from it the operations that these rates do not need. Common subexpressions of several groups are computed
// once a group. On CUDA each phase is a kernel of its own, and the parts of a patch are neighbouring blocks, so
// that they find the patch in the cache (block.hpp). Gradients are computed one after another (keep_order())
// and the states loaded after them, so that a thread holds less at a time. Usable in device code.

#include "solvers/block_patch.hpp"
#include "solvers/placed_rates.hpp"
#include "solvers/radiative.hpp"
#include "solvers/scheme.hpp"

namespace meander::solvers {

// Whether the last phase of an update may change unknown n: P::enforced(n), or true.
template <class P>
constexpr bool is_enforced(int n) {
  if constexpr (requires { P::enforced(0); }) return P::enforced(n);
  return true;
}

// Common base of both schemes. h: halo width; known: the patch size, or 0.
template <Grouped P, int h, int known>
class BlockFused {
 protected:
  static constexpr int N = P::unknowns;
  using Shape = BlockShape<3, N, h, known>;

  MEANDER_HOST_DEVICE BlockFused(const P& pde, const DeviceBatch& batch)
      : step_(pde, batch), shape_(batch.layout.p) {}

  struct Volume {
    int i, j, k;
  };
  MEANDER_TERM Volume volume(int item) const {
    const int p = shape_.p();
    return {item % p, item / p % p, item / (p * p)};
  }

  // Runs the phases one after another, for devices that update a patch by one kernel.
  template <class Kernel, class Block>
  MEANDER_TERM static void run_all(const Kernel& kernel, const Block& block, const DevicePatch& patch,
                                   BlockStatus& status, double* memory) {
    [&]<int... phase>(std::integer_sequence<int, phase...>) {
      ((phase > 0 ? block.sync() : void(), run_phase<phase>(kernel, block, patch, status, memory)), ...);
    }
    (std::make_integer_sequence<int, Kernel::phases>());
  }
  template <int phase, class Kernel, class Block>
  MEANDER_TERM static void run_phase(const Kernel& kernel, const Block& block, const DevicePatch& patch,
                                     BlockStatus& status, double* memory) {
    [&]<int... part>(std::integer_sequence<int, part...>) {
      (kernel.template run<phase, part>(block, patch, status, memory), ...);
    }
    (std::make_integer_sequence<int, Kernel::template parts<phase>>());
  }

  // The last phase, after all unknowns have their new values in DevicePatch::next: enforces constraints and
  // floors, collects the status, and in place (DeviceBatch) stores the new interior in the slot.
  template <class Block>
  MEANDER_TERM void enter(const Block& block, const DevicePatch& patch, BlockStatus& status) const {
    block.for_each(shape_.volumes(), status, [&](int item, BlockStatus& mine) {
      const Volume at = volume(item);
      double* const next = global(patch.next) + item;
      double q[N];
      MEANDER_UNROLL
      for (int n = 0; n < N; ++n) q[n] = next[n * shape_.volumes()];
      step_.finish(patch, q, at.i, at.j, at.k, item, mine);
      if (step_.in_place) {
        double* const own = global(patch.slot) + shape_.in_slot(at.i, at.j, at.k);
        MEANDER_UNROLL
        for (int n = 0; n < N; ++n) own[n * shape_.unknown_stride()] = q[n];
      } else {
        MEANDER_UNROLL
        for (int n = 0; n < N; ++n) {
          if (is_enforced<P>(n)) next[n * shape_.volumes()] = q[n];
        }
      }
    });
  }

  BlockStep<P> step_;
  Shape shape_;
};

template <Grouped P, int known = 0>
class BlockRusanovFused : private BlockFused<P, 1, known> {
  using Base = BlockFused<P, 1, known>;
  using Base::N, Base::shape_, Base::step_;

 public:
  using Equation = P;
  static constexpr int registers = 255;

  MEANDER_HOST_DEVICE BlockRusanovFused(const P& pde, const DeviceBatch& batch) : Base(pde, batch) {}

  // Holds the wave speeds along the axes, in the interior and the halo.
  static constexpr std::ptrdiff_t memory(int p) { return std::ptrdiff_t{3} * (p + 2) * (p + 2) * (p + 2); }

  // Wave speeds; rates, one part for each group; and the last phase.
  static constexpr int phases = 3;
  template <int phase>
  static constexpr int parts = phase == 1 ? P::rate_groups : 1;

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status,
                           double* memory) const {
    this->run_all(*this, block, patch, status, memory);
  }

  template <int phase, int part, class Block>
  MEANDER_TERM void run(const Block& block, const DevicePatch& patch, BlockStatus& status,
                        double* memory) const {
    if constexpr (phase == 0) {
      speeds(block, patch, memory);
    } else if constexpr (phase == 1) {
      block.for_each(shape_.volumes(), [&](int item) { rates<part>(patch, item, memory); });
    } else {
      this->enter(block, patch, status);
    }
  }

 private:
  template <class Block>
  MEANDER_TERM void speeds(const Block& block, const DevicePatch& patch, double* memory) const {
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
  }

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
    double* const to = global(patch.next) + item;
    double q[N], gradient[3 * N], next[N], rate[N];
    Faces faces[3];
    MEANDER_UNROLL
    for (int a = 0; a < 3; ++a) {
      const double* lambda = speed + a * box + at;
      faces[a] = {max(lambda[-strides[a]], lambda[0]), max(lambda[0], lambda[strides[a]])};
    }
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      keep_order();
      const double* centre = slot + n * shape_.unknown_stride();
      const double here = *centre;
      MEANDER_UNROLL
      for (int a = 0; a < 3; ++a) {
        const double below = here - centre[-strides[a]], above = centre[strides[a]] - here;
        gradient[a * N + n] = half * (below + above);
        const double along = fma(faces[a].above, above, -(faces[a].below * below));
        next[n] = a == 0 ? along : next[n] + along;
      }
      // At once, so that the state need not wait for the rates; with variable strides the compiler spills more.
      if constexpr (known > 0) next[n] = fma(spread, next[n], here);
    }
    keep_order();
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) q[n] = slot[n * shape_.unknown_stride()];
    step_.pde.rates(q, gradient, rate);
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      if (P::rate_group(n) != group) continue;
      if constexpr (known == 0) next[n] = fma(spread, next[n], q[n]);
      to[n * shape_.volumes()] = fma(step_.dt, rate[n], next[n]);
    }
  }
};

// radiates: true for batches with radiative faces. It adds a part, for which the compiler would take
// registers in all other batches.
template <Grouped P, bool radiates, int known = 0>
class BlockFourthOrder : private BlockFused<P, 3, known> {
  static_assert(!radiates || Radiating<P>);
  using Base = BlockFused<P, 3, known>;
  using Base::N, Base::shape_, Base::step_;

 public:
  using Equation = P;
  static constexpr int registers = 255;

  MEANDER_HOST_DEVICE BlockFourthOrder(const P& pde, const DeviceBatch& batch)
      : Base(pde, batch),
        stage_(batch.stage),
        stage_block_(static_cast<int>(batch.layout.stage_block_size())) {}

  static constexpr std::ptrdiff_t memory(int) { return 0; }

  // Rates, one part for each group and one for radiative faces; and the last phase.
  static constexpr int phases = 2;
  template <int phase>
  static constexpr int parts = phase == 0 ? P::rate_groups + (radiates ? 1 : 0) : 1;

  template <class Block>
  MEANDER_TERM void update(const Block& block, const DevicePatch& patch, BlockStatus& status,
                           double* memory) const {
    this->run_all(*this, block, patch, status, memory);
  }

  template <int phase, int part, class Block>
  MEANDER_TERM void run(const Block& block, const DevicePatch& patch, BlockStatus& status, double*) const {
    if constexpr (phase == 1) {
      this->enter(block, patch, status);
    } else if constexpr (part < P::rate_groups) {
      block.for_each(shape_.volumes(), [&](int item) { rates<part>(patch, item); });
    } else {
      block.for_each(shape_.volumes(), [&](int item) { radiate(patch, item); });
    }
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
      advance(patch, n * shape_.volumes() + item, centre + n * shape_.unknown_stride(), rate);
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
    // First, while no state is held: roots and quotients are calls that would spill it.
    const auto place = [&](double* x) {
      x[0] = fma(volume.i + 0.5, dx, patch.lower[0]);
      x[1] = fma(volume.j + 0.5, dx, patch.lower[1]);
      x[2] = fma(volume.k + 0.5, dx, patch.lower[2]);
    };
    const auto coefficients = coefficients_at<double>(step_.pde, place);
    const double* const slot = global(patch.q) + at;
    double q[N], gradient[3 * N], damped[N], rate[N];
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      keep_order();
      const double* centre = slot + n * shape_.unknown_stride();
      double sixth = -60.0 * *centre;
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
    keep_order();
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) q[n] = slot[n * shape_.unknown_stride()];
    rates_with(step_.pde, coefficients, static_cast<const double*>(q), static_cast<const double*>(gradient),
               rate);
    // With constant strides the state is loaded again: kept, it would be spilled.
    const double* again = slot;
    if constexpr (known > 0) {
      keep_order();
      again += unknown_zero();
    }
    MEANDER_UNROLL
    for (int n = 0; n < N; ++n) {
      if (P::rate_group(n) != group) continue;
      const double* const here = known > 0 ? again + n * shape_.unknown_stride() : q + n;
      advance(patch, n * shape_.volumes() + item, here, rate[n] + damped[n]);
    }
  }

  // One stage of the classical Runge-Kutta method, for one unknown of one volume: its state at `q`, its rate.
  MEANDER_TERM void advance(const DevicePatch& patch, int at, const double* q, double rate) const {
    const double reach = stage_ < 2 ? 0.5 : stage_ == 2 ? 1.0 : 1.0 / 6.0, by = reach * step_.dt;
    double *const start = global(patch.stages) + at, *const sum = start + stage_block_;
    double* const next = global(patch.next) + at;
    if (stage_ == 0) {
      const double here = *q;
      *start = here;
      *sum = rate;
      *next = fma(by, rate, here);
    } else if (stage_ < 3) {
      *sum = fma(2.0, rate, *sum);
      *next = fma(by, rate, *start);
    } else {
      *next = fma(by, *sum + rate, *start);
    }
  }

  int stage_, stage_block_;
};

// Calls body(std::type_identity<Kernel>()) for the fourth-order kernel that fits the batch. Sizes: patch sizes
// with a kernel of their own.
template <Grouped P, class Sizes, class Body>
void with_fourth_order(const DeviceBatch& batch, const Body& body) {
  with_patch_size<P, Sizes>(batch.layout.p, [&](auto p) {
    constexpr int known = decltype(p)::value;
    if (batch.radiates) return body(std::type_identity<BlockFourthOrder<P, true, known>>());
    body(std::type_identity<BlockFourthOrder<P, false, known>>());
  });
}

// The same for any scheme.
template <Pde P, class Scheme, class Sizes, class Body>
void with_block_kernel(const DeviceBatch& batch, const Body& body) {
  if constexpr (std::is_same_v<Scheme, FusedFourthOrder> && Radiating<P>) {
    with_fourth_order<P, Sizes>(batch, body);
  } else {
    with_patch_size<P, Sizes>(batch.layout.p, [&](auto p) {
      body(std::type_identity<typename Scheme::template Block<P, decltype(p)::value>>());
    });
  }
}

}  // namespace meander::solvers
