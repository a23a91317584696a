// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Scratch memory of one thread for patch kernels, and the map of one flattened plane of a patch. Both grow at
// the first use of a larger patch and are then reused: updates allocate nothing in their loops.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "solvers/patch_layout.hpp"

namespace meander::solvers {

// Doubles on 64-byte boundaries; grows, never shrinks.
class Scratch {
 public:
  // At least `count` doubles, all zero after growing.
  double* reserve(std::ptrdiff_t count) {
    if (count > count_) {
      memory_.reset(
          static_cast<double*>(std::aligned_alloc(64, static_cast<std::size_t>((count + 7) / 8 * 64))));
      if (!memory_) throw std::bad_alloc();
      count_ = count;
      std::fill_n(memory_.get(), count, 0.0);
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(double* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<double[], Free> memory_;
  std::ptrdiff_t count_ = 0;
};

// One (x, y) plane of a patch with its halo, x fastest, as one long row. Kernels sweep it with packs from the
// first to the last volume that they need; results for halo volumes in between are ignored.
class PlaneMap {
 public:
  static constexpr int spare = 32;  // doubles following a plane that packs may access

  PlaneMap() = default;
  explicit PlaneMap(const PatchLayout& layout);

  bool fits(const PatchLayout& layout) const { return layout.p == p_ && layout.h == h_; }
  // Position of volume (i, j), -h <= i, j < p + h.
  int at(int i, int j) const { return (j + h_) * edge_ + i + h_; }
  int edge() const { return edge_; }
  // Doubles to reserve for one value in each volume of the plane.
  std::ptrdiff_t size() const { return (edge_ * edge_ + 7) / 8 * 8 + spare; }
  // 1 at interior volumes, 0 elsewhere.
  const double* interior() const { return interior_.get(); }
  // 1 there and at volumes across one of their faces.
  const double* beside() const { return interior_.get() + 3 * size(); }
  // i + 1/2 and j + 1/2 for each volume.
  const double* x() const { return interior_.get() + size(); }
  const double* y() const { return interior_.get() + 2 * size(); }

 private:
  int p_ = 0, h_ = 0, edge_ = 0;
  std::unique_ptr<double[]> interior_;
};

struct Workspace {
  Scratch scratch;
  PlaneMap plane;
};

// This thread's workspace, prepared for a layout.
Workspace& workspace(const PatchLayout& layout);

}  // namespace meander::solvers
