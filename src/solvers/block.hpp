// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How device kernels are written: for one patch and a block of threads, as a sequence of phases over items
// with barriers between them. All threads of a block run through the same phases; items of one phase run in
// any order or at once, and share nothing but the block's memory, which carries what later phases read.
//
// A Block has
//   for_each(count, f): f(item) for items 0 to count - 1;
//   for_each(count, status, f): f(item, status), where each item adds to what its thread knows of the status;
//   sync(): all items before it have run, and their writes are seen;
//   collect(status): after the last phase, the status of all threads, on the thread for which leads() holds.
// In the kernel's function, status is a BlockStatus of each thread's own. A kernel is a class with
//   static std::ptrdiff_t memory(layout): doubles of block memory;
//   template <class Block> void update(Block&, const DevicePatch&, PatchStatus&, double* memory) const.
// Here is the block of one thread; a CUDA block is in block_cuda.hpp.

#include <cstdint>

#include "solvers/math.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// The status as items see it. Maximum and sums are exact, so their order does not matter.
struct BlockStatus {
  double max_rate = 0;
  int first_order = 0, floored = 0, strayed = 0, inadmissible = 0;  // numbers of volumes
  Breach breach;

  MEANDER_HOST_DEVICE void add(const BlockStatus& other) {
    max_rate = max(other.max_rate, max_rate);
    first_order += other.first_order;
    floored += other.floored;
    strayed += other.strayed;
    inadmissible += other.inadmissible;
    note(other.breach);
  }
  // The last bound, and its first volume.
  MEANDER_HOST_DEVICE void note(const Breach& other) {
    const bool later = other.bound > breach.bound;
    if (later || (other.bound == breach.bound && other.volume < breach.volume)) breach = other;
  }
  MEANDER_HOST_DEVICE void write(PatchStatus& status) const {
    status.max_rate = max_rate;
    status.first_order = first_order;
    status.floored = floored;
    status.strayed = strayed;
    status.breach = breach;
    status.admissible = inadmissible == 0;
  }
};

struct SerialBlock {
  template <class F>
  MEANDER_TERM void for_each(int count, const F& f) const {
    for (int item = 0; item < count; ++item) f(item);
  }
  template <class F>
  MEANDER_TERM void for_each(int count, BlockStatus& status, const F& f) const {
    for (int item = 0; item < count; ++item) f(item, status);
  }
  MEANDER_TERM void sync() const {}
  MEANDER_TERM bool leads() const { return true; }
  MEANDER_TERM void collect(BlockStatus&) const {}
};

}  // namespace meander::solvers
