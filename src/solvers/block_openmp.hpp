// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The block of device kernels as the threads of one OpenMP team. Each thread takes one part of a phase's
// items and runs them as SIMD lanes of a CPU or of a GPU's warp. For translation units that are compiled for
// offloading.

#include <limits>

#include "solvers/block.hpp"

namespace meander::solvers {

// An item of a phase, never inlined: inlining it causes an internal error in g++ 12's compiler for NVIDIA
// GPUs. Calls from SIMD lanes need a stack for each lane (-msoft-stack-reserve-local).
template <class F, class... Arguments>
__attribute__((noinline)) void call(const F& f, Arguments&&... arguments) {
  f(arguments...);
}

// The rates may be negative (BlockMeasure).
constexpr BlockStatus status_of_nothing() {
  BlockStatus status;
  status.max_rate = -std::numeric_limits<double>::infinity();
  return status;
}

#pragma omp declare reduction(merge:BlockStatus \
                              : omp_out.add(omp_in)) initializer(omp_priv = status_of_nothing())

class OpenMpBlock {
 public:
  // g++ maps each thread to a warp; teams on a GPU have no more threads.
  static constexpr int most_threads = 32;

  // Constructed by every thread of a parallel region. statuses: one for each thread, shared by all.
  MEANDER_TERM OpenMpBlock(int thread, int threads, BlockStatus* statuses)
      : thread_(thread), threads_(threads), statuses_(statuses) {}

  template <class F>
  MEANDER_TERM void for_each(int count, const F& f) const {
    const int last = piece(count, thread_ + 1);
#pragma omp simd
    for (int item = piece(count, thread_); item < last; ++item) call(f, item);
  }

  // Each lane counts separately; the counts are added after the loop.
  template <class F>
  MEANDER_TERM void for_each(int count, BlockStatus& status, const F& f) const {
    const int last = piece(count, thread_ + 1);
    BlockStatus all = status_of_nothing();
#pragma omp simd reduction(merge : all)
    for (int item = piece(count, thread_); item < last; ++item) call(f, item, all);
    status.add(all);
  }

  MEANDER_TERM void sync() const {
#pragma omp barrier
  } MEANDER_TERM bool leads() const {
    return thread_ == 0;
  }

  MEANDER_TERM void collect(BlockStatus& status) const {
    statuses_[thread_] = status;
    sync();
    if (!leads()) return;
    for (int other = 1; other < threads_; ++other) status.add(statuses_[other]);
  }

 private:
  MEANDER_TERM int piece(int count, int of) const {
    return static_cast<int>(static_cast<long>(count) * of / threads_);
  }

  int thread_, threads_;
  BlockStatus* statuses_;
};

}  // namespace meander::solvers
