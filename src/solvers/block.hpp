// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The programming model of device kernels. A kernel updates one patch by a block of threads, as a sequence of
// phases over items with barriers between them. All threads of a block run through the same phases. Items of
// one phase run in any order or concurrently. They share only the block's memory, which holds data for later
// phases.
//
// A Block has these members; `status` is a BlockStatus private to each thread:
//
//   // Calls f(item) for items 0 to count - 1.
//   void for_each(int count, f);
//   // Calls f(item, status) for items 0 to count - 1; each item adds to its thread's status.
//   void for_each(int count, BlockStatus& status, f);
//   // Barrier: all preceding items have run, and their writes are visible.
//   void sync();
//   // True on one thread of the block.
//   bool leads();
//   // After the last phase: merges the status of all threads into that of the leading thread.
//   void collect(BlockStatus& status);
//
// A kernel is a class with these members:
//
//   // Registers of a GPU's thread that the compiler may take before it spills.
//   static constexpr int registers;
//   // Doubles of block memory for a patch with p volumes along each axis.
//   static constexpr std::ptrdiff_t memory(int p);
//   template <class Block>
//   void update(const Block&, const DevicePatch&, BlockStatus&, double* memory) const;
//
// A kernel that needs many registers may also offer its phases one by one, each as parts that run in any order
// or concurrently: CUDA then launches a kernel for each phase, with a block for each part of each patch, and
// block memory in global memory. The last phase is one part, which completes the status.
//
//   static constexpr int phases;
//   template <int phase>
//   static constexpr int parts;
//   template <int phase, int part, class Block>
//   void run(const Block&, const DevicePatch&, BlockStatus&, double* memory) const;
//
// This header has the block of one thread; block_cuda.cuh has the CUDA block, block_openmp.hpp the OpenMP
// block.

#include <cstdint>

#include "solvers/math.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// The status of a thread's items. Maximum and sums are exact, so their order does not matter.
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
  // Keeps the first volume of the last breached bound.
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
