// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel of sums over spherical shells, with the operations of simulation/diagnostics/shell_sums.hpp. One
// block a patch. Usable in device code.

#include <cstring>

#include "solvers/block_restrict.hpp"

namespace meander::solvers {

// sum += value by any number of threads at once.
MEANDER_TERM void add_to(std::uint64_t* sum, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
#else
  __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
#endif
}

template <int D>
class BlockShells {
 public:
  MEANDER_HOST_DEVICE explicit BlockShells(const ShellBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const DevicePatch& patch = batch_.at(batch_.patches)[number];
    int level = 0;
    while (level < ShellBatch::most_levels && batch_.levels[level].dx != patch.dx) ++level;
    if (level == ShellBatch::most_levels) return;
    const ShellBatch::Level& of = batch_.levels[level];
    const double* const values = batch_.at(patch.q) + batch_.unknown * shape_.unknown_stride;
    std::uint64_t* const sums = batch_.at(batch_.sums) + of.offset;
    const double volume = D == 3 ? patch.dx * patch.dx * patch.dx : patch.dx * patch.dx;
    block.for_each(shape_.volumes(), [&](int item) {
      int i[3] = {0, 0, 0};
      shape_.volume(item, i);
      double x[3] = {0, 0, 0};
      for (int a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx - batch_.centre[a];
      const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      const double s = r * of.per_width + 0.5;
      const auto edge = static_cast<std::int32_t>(s);
      const double above = s - edge;
      const double v = value_of(values + shape_.at(i), x, r) * volume * batch_.scale;
      std::uint64_t* const slot = sums + 2 * (edge < of.last_edge ? edge : of.last_edge);
      add_to(slot, rounded(v));
      add_to(slot + 1, rounded(v * above));
    });
  }

 private:
  using Kind = ShellBatch::Kind;

  MEANDER_TERM double value_of(const double* at, const double* x, double r) const {
    const auto unknown = [&](int n) { return global(at)[n * shape_.unknown_stride]; };
    switch (batch_.kind) {
      case Kind::volume:
        return 1;
      case Kind::excess:
        return unknown(0) - batch_.constant;
      case Kind::radial: {
        double along = unknown(0) * x[0] + unknown(1) * x[1];
        if constexpr (D == 3) along = along + unknown(2) * x[2];
        return r > 0 ? along / r : 0;
      }
      case Kind::remainder: {
        double square = unknown(1) * unknown(1) + unknown(2) * unknown(2);
        if constexpr (D == 3) square = square + unknown(3) * unknown(3);
        return batch_.constant * (unknown(1 + D) - 0.5 * square / unknown(0));
      }
    }
    return 0;
  }
  // To the nearest integer if |value| < 2^51.
  MEANDER_TERM static std::uint64_t rounded(double value) {
    const double magic = 6755399441055744.0, sum = value + magic;  // 1.5 * 2^52: its last digit is the unit
    std::uint64_t bits, zero;
    std::memcpy(&bits, &sum, sizeof bits);
    std::memcpy(&zero, &magic, sizeof zero);
    return bits - zero;
  }

  ShellBatch batch_;
  SlotShape<D> shape_;
};

}  // namespace meander::solvers
