// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A block (solvers/block.hpp) of real threads, for ThreadSanitizer. Several blocks of a launch run at a time,
// as on a GPU: blocks must not depend on each other either. One barrier may be left out, to show that the
// sanitizer reports it.

#include <algorithm>
#include <barrier>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "solvers/block_patch.hpp"

namespace meander::solvers::test {

// What the threads of a block share.
struct ThreadsOfBlock {
  ThreadsOfBlock(int count, int dropped_barrier)
      : dropped(dropped_barrier), barrier(count), statuses(static_cast<std::size_t>(count)) {}
  int count() const { return static_cast<int>(statuses.size()); }
  int dropped;  // number of the barrier that is left out, from 0; -1: none
  std::barrier<> barrier;
  std::vector<BlockStatus> statuses;
};

class ThreadedBlock {
 public:
  ThreadedBlock(ThreadsOfBlock& threads, int thread) : threads_(threads), thread_(thread) {}

  template <class F>
  void for_each(int count, const F& f) const {
    for (int item = thread_; item < count; item += threads_.count()) f(item);
  }
  template <class F>
  void for_each(int count, BlockStatus& status, const F& f) const {
    for_each(count, [&](int item) { f(item, status); });
  }
  void sync() const {
    if (barrier_++ != threads_.dropped) threads_.barrier.arrive_and_wait();
  }
  bool leads() const { return thread_ == 0; }
  void collect(BlockStatus& status) const {
    threads_.statuses[static_cast<std::size_t>(thread_)] = status;
    threads_.barrier.arrive_and_wait();
    if (!leads()) return;
    for (std::size_t other = 1; other < threads_.statuses.size(); ++other)
      status.add(threads_.statuses[other]);
  }

 private:
  ThreadsOfBlock& threads_;
  int thread_;
  mutable int barrier_ = 0;
};

// Runs body(block, number, group) for block numbers 0 to count - 1: `groups` blocks at a time, each of
// `threads` threads.
template <class Body>
void run_on_threads(int count, int groups, int threads, int dropped, const Body& body) {
  std::vector<std::thread> all;
  std::vector<std::unique_ptr<ThreadsOfBlock>> blocks;
  for (int group = 0; group < groups; ++group) {
    ThreadsOfBlock& shared = *blocks.emplace_back(std::make_unique<ThreadsOfBlock>(threads, dropped));
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back([&, group, thread] {
        for (int number = group; number < count; number += groups) {
          body(ThreadedBlock(shared, thread), number, group);
          shared.barrier.arrive_and_wait();  // the next block of this group uses the same memory
        }
      });
    }
  }
  for (std::thread& thread : all) thread.join();
}

// Runs kernels on resident patches (solvers/resident_kernels.hpp).
struct ThreadedLauncher {
  int groups = 2, threads = 3, dropped = -1;

  template <class Kernel>
  void operator()(const Kernel& kernel, int count) const {
    run_on_threads(count, groups, threads, dropped,
                   [&](const ThreadedBlock& block, int number, int) { kernel.run(block, number); });
  }
};

// As update_serially() (solvers/block_serial.hpp).
template <class Kernel>
void update_on_threads(const typename Kernel::Equation& pde, const DeviceBatch& batch, int dropped = -1) {
  constexpr int groups = 2, threads = 3;
  const Kernel kernel(pde, batch);
  const std::vector<double> undefined(static_cast<std::size_t>(Kernel::memory(batch.layout.p)),
                                      std::numeric_limits<double>::quiet_NaN());
  std::vector<std::vector<double>> memory(groups, undefined);
  run_on_threads(
      batch.count, groups, threads, dropped, [&](const ThreadedBlock& block, int number, int group) {
        BlockStatus status;
        kernel.update(block, batch.patches[number], status, memory[static_cast<std::size_t>(group)].data());
        block.collect(status);
        if (block.leads()) status.write(batch.status[number]);
      });
}

}  // namespace meander::solvers::test
