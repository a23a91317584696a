// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Common parts of all block kernels: a patch size that may be known at compile time, the layout of a patch in
// its slot, and the last steps of a volume's update. Usable in device code.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "solvers/block.hpp"
#include "solvers/device_batch.hpp"
#include "solvers/riemann.hpp"

namespace meander::solvers {

// Volumes along an axis: `known`, or the layout's p if known = 0.
template <int known>
struct PatchSize {
  MEANDER_HOST_DEVICE explicit PatchSize(int) {}
  MEANDER_TERM int p() const { return known; }
};
template <>
struct PatchSize<0> {
  int value;
  MEANDER_HOST_DEVICE explicit PatchSize(int p) : value(p) {}
  MEANDER_TERM int p() const { return value; }
};

// Patch sizes that kernels on devices are specialised for. The emulated device runs kernels for any size.
using KnownPatchSizes = std::integer_sequence<int, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17>;

// Calls body(std::integral_constant<int, p>) if p is one of Sizes and equation P is specialised by size
// (P::specialised_by_patch_size), otherwise with 0.
template <class P, class Sizes, class Body>
void with_patch_size(int p, const Body& body) {
  if constexpr (requires { requires P::specialised_by_patch_size; }) {
    const bool known = [&]<int... sizes>(std::integer_sequence<int, sizes...>) {
      return ((p == sizes ? (body(std::integral_constant<int, sizes>()), true) : false) || ...);
    }
    (Sizes());
    if (known) return;
  }
  body(std::integral_constant<int, 0>());
}

enum class BlockMemory { shared, scratch };  // of a device: shared memory, or global scratch memory only

// Bytes of shared memory that every supported device has.
inline constexpr std::size_t modest_shared_memory = 96 * 1024;

// Scratch memory of a batch whose blocks each need that number of doubles. It is 0 if they fit into the
// shared memory of every supported device. Blocks use larger shared memory where the device has it.
inline std::size_t block_scratch(std::ptrdiff_t doubles, int patches, BlockMemory memory) {
  const std::size_t shared = memory == BlockMemory::shared ? modest_shared_memory : 0;
  const std::size_t bytes = static_cast<std::size_t>(doubles) * sizeof(double);
  return bytes <= shared ? 0 : bytes * static_cast<std::size_t>(patches);
}

// Positions of volumes, as in PatchLayout, with compile-time constants folded in.
template <int D, int N, int h, int known>
struct BlockShape : PatchSize<known> {
  using PatchSize<known>::PatchSize;
  using PatchSize<known>::p;
  MEANDER_TERM int edge() const { return p() + 2 * h; }
  MEANDER_TERM int slot_plane() const { return edge() * edge(); }
  MEANDER_TERM int unknown_stride() const { return (slot_plane() * (D == 3 ? edge() : 1) + 7) / 8 * 8; }
  // Offset within an unknown; indices run from -h.
  MEANDER_TERM int in_slot(int i, int j, int k) const {
    return (D == 3 ? (k + h) * slot_plane() : 0) + (j + h) * edge() + i + h;
  }
  MEANDER_TERM int face_volumes() const { return D == 3 ? p() * p() : p(); }
  MEANDER_TERM int volumes() const { return p() * face_volumes(); }
  MEANDER_TERM int in_interior(int i, int j, int k) const {
    return (D == 3 ? k * p() * p() : 0) + j * p() + i;
  }
  // The number of volumes by which an index lies outside the interior.
  MEANDER_TERM int outside(int i) const { return i < 0 ? -i : i >= p() ? i - p() + 1 : 0; }
};

// Parameters of an update and the last steps for one volume, as NewState of the CPU kernels.
template <Pde P>
struct BlockStep {
  using Split = typename SplitSourceOf<P>::type;
  P pde;
  double t, dt;
  const typename P::StepData* step;  // null: no source
  bool in_place;
  PatchLayout layout;

  MEANDER_HOST_DEVICE BlockStep(const P& equation, const DeviceBatch& batch)
      : pde(equation),
        t(batch.t),
        dt(batch.dt),
        step(P::has_source ? static_cast<const typename P::StepData*>(batch.step_data) : nullptr),
        in_place(batch.in_place),
        layout(batch.layout) {}

  // Stores the new state of a volume, number `volume` of the interior and at `in_slot` of the slot.
  template <class Shape>
  MEANDER_TERM void store(const DevicePatch& patch, const Shape& shape, const double* q, int volume,
                          int in_slot) const {
    // One pointer: of a choice between two the compiler does not know that both are global memory.
    double* const to = global(in_place ? patch.slot : patch.next) + (in_place ? in_slot : volume);
    const int stride = in_place ? shape.unknown_stride() : shape.volumes();
    for (int n = 0; n < P::unknowns; ++n) to[n * stride] = q[n];
  }

  // Room for what is kept of a split source; at least one value.
  static constexpr int kept_values = Split::kept_values + 1;

  // The half of a split source that precedes the fluxes, on volume (i, j, k) of the slot.
  MEANDER_TERM void begin(const DevicePatch& patch, double* q, int i, int j, int k) const {
    if constexpr (SplitSource<P>) {
      if (step == nullptr) return;
      double first[Split::first_values];
      split_at(patch, i, j, k, first).before(q, first);
    }
  }
  // The same on primitive variables.
  MEANDER_TERM void begin_primitive(const DevicePatch& patch, double* w, int i, int j, int k) const {
    if constexpr (SplitSource<P>) {
      if (step == nullptr) return;
      double first[Split::first_values];
      split_at(patch, i, j, k, first).before_primitive(w, first);
    }
  }
  // The same on the interior, in the order of operations of the CPU, which has kept its values.
  MEANDER_TERM void begin_interior(const DevicePatch& patch, double* q, int i, int j, int k,
                                   double* kept) const {
    if constexpr (SplitSource<P>) {
      if (step == nullptr) return;
      const Split source = split();
      double x[P::dim], first[Split::first_values];
      centre(patch, i, j, k, x);
      const auto field = fields(patch, i, j, k);
      source.at(x, false, field, first, kept);
      source.first_of(x, field, kept, first);
      source.before(q, first);
    }
  }

  // Finishes the update of volume (i, j, k), number `volume` of the interior. q: its state after the fluxes
  // on entry, its final state on return. kept: of begin_interior().
  MEANDER_TERM void finish(const DevicePatch& patch, double* q, const double* kept, int i, int j, int k,
                           int volume, BlockStatus& status) const {
    if constexpr (SplitSource<P>) {
      if (step != nullptr) {
        double x[P::dim];
        centre(patch, i, j, k, x);
        split().after(q, x, fields(patch, i, j, k), kept);
      }
      check(q, volume, status);
    } else {
      finish(patch, q, i, j, k, volume, status);
    }
  }
  // The same; computes again what is kept.
  MEANDER_TERM void finish(const DevicePatch& patch, double* q, int i, int j, int k, int volume,
                           BlockStatus& status) const {
    if constexpr (P::has_source) {
      if (step != nullptr) {
        double x[P::dim];
        centre(patch, i, j, k, x);
        if constexpr (SplitSource<P>) {
          const Split source = split();
          double unused[Split::first_values], kept[kept_values];
          const auto field = fields(patch, i, j, k);
          source.at(x, false, field, unused, kept);
          source.after(q, x, field, kept);
        } else {
          double s[P::unknowns];
          pde.source(q, x, t, dt, *global(step), s);
          for (int n = 0; n < P::unknowns; ++n) q[n] = fma(dt, s[n], q[n]);
        }
      }
    }
    check(q, volume, status);
  }

  // Applies the floors to a new state, and adds what it is to the status.
  MEANDER_TERM void check(double* q, int volume, BlockStatus& status) const {
    if constexpr (Watched<P>) {
      if (pde.strays(q)) ++status.strayed;
      Breach breach;
      breach.bound = pde.breach(q, breach.value);
      breach.volume = volume;
      if (breach.bound >= 0) status.note(breach);
    }
    const double speed = enforce(q, status);
    status.max_rate = max(speed, status.max_rate);  // this order drops a NaN, which admissible() detects
    if (!pde.admissible(q)) ++status.inadmissible;
  }

  // Applies the floors. Returns the rate of the new state.
  MEANDER_TERM double enforce(double* q, BlockStatus& status) const {
    if constexpr (Floored<P>) {
      if (pde.enforces()) {
        if constexpr (FlooredWithAuxiliaries<P>) {
          double a[P::auxiliaries];
          if (pde.enforce(q, a)) ++status.floored;
          return rate(pde, q, a);
        } else {
          if (pde.enforce(q)) ++status.floored;
        }
      }
    }
    return rate(pde, q);
  }

  // Reads the fields of a volume of the slot.
  MEANDER_TERM auto fields(const DevicePatch& patch, int i, int j, int k) const {
    return [this, &patch, i, j, k](int f) {
      return global(patch.q)[layout.at(P::unknowns + f, i, j, P::dim == 3 ? k : 0)];
    };
  }
  MEANDER_TERM bool balances() const {
    if constexpr (Balanced<P>) return step != nullptr && split().balances();
    return false;
  }
  MEANDER_TERM auto split() const { return pde.split_source(*global(step), dt); }
  // The split source, and the values that its first half reads in a volume of the slot, which may lie beyond the domain.
  MEANDER_TERM Split split_at(const DevicePatch& patch, int i, int j, int k, double* first) const {
    const Split source = split();
    double x[P::dim], unused[kept_values];
    centre(patch, i, j, k, x);
    source.at(x, true, fields(patch, i, j, k), first, unused);
    return source;
  }
  MEANDER_TERM static void centre(const DevicePatch& patch, int i, int j, int k, double* x) {
    x[0] = fma(i + 0.5, patch.dx, patch.lower[0]);
    x[1] = fma(j + 0.5, patch.dx, patch.lower[1]);
    if constexpr (P::dim == 3) x[2] = fma(k + 0.5, patch.dx, patch.lower[2]);
  }
};

}  // namespace meander::solvers
