// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A block (solvers/block.hpp) of several user-level threads that run one after another and change over at
// barriers only. Between two barriers the threads run in ascending, descending or random order, and each item
// of a phase may fall to any thread. A kernel's results must not depend on that. One barrier may be left out,
// to show that it is necessary: then the first thread runs far ahead of the others.

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <source_location>
#include <string>
#include <vector>

#include "solvers/block_patch.hpp"

namespace meander::solvers::test {

enum class Order { ascending, descending, random };

struct Schedule {
  Order order = Order::ascending;
  unsigned seed = 1;  // of random orders
  int threads = 5;
  int dropped = -1;  // the number of the barrier that is left out, from 0; -1: none
};

// The orders that every kernel is tested with.
inline std::vector<Schedule> schedules(int dropped = -1) {
  return {{Order::ascending, 1, 5, dropped},
          {Order::descending, 1, 4, dropped},
          {Order::random, 1, 7, dropped},
          {Order::random, 2, 3, dropped},
          {Order::random, 3, 16, dropped}};
}

// Threads of one block, each with a stack of its own.
class Fibers {
 public:
  explicit Fibers(const Schedule& schedule)
      : schedule_(schedule), random_(schedule.seed), fibers_(static_cast<std::size_t>(schedule.threads)) {
    for (Fiber& fiber : fibers_) fiber.stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
  }

  const Schedule& schedule() const { return schedule_; }
  BlockStatus& status(int thread) { return fibers_[static_cast<std::size_t>(thread)].status; }

  // Runs body(thread) on all threads.
  void run(const std::function<void(int)>& body) {
    body_ = &body;
    current_ = this;
    for (Fiber& fiber : fibers_) {
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = stack_bytes;
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &Fibers::enter, 0);
      fiber.runs = true;
    }
    std::vector<std::size_t> order(fibers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (schedule_.order == Order::descending) std::reverse(order.begin(), order.end());
    while (std::any_of(fibers_.begin(), fibers_.end(), [](const Fiber& fiber) { return fiber.runs; })) {
      if (schedule_.order == Order::random) std::shuffle(order.begin(), order.end(), random_);
      for (const std::size_t thread : order) {
        thread_ = thread;
        if (fibers_[thread].runs) swapcontext(&scheduler_, &fibers_[thread].context);
      }
    }
  }

  // Lets the other threads run up to the same point.
  void yield() { swapcontext(&fibers_[thread_].context, &scheduler_); }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 20;
  struct Fiber {
    std::unique_ptr<std::byte[]> stack;
    ucontext_t context;
    BlockStatus status;
    bool runs = false;
  };
  static void enter() {
    Fibers& all = *current_;
    const std::size_t thread = all.thread_;
    (*all.body_)(static_cast<int>(thread));
    all.fibers_[thread].runs = false;
  }

  static inline thread_local Fibers* current_ = nullptr;
  Schedule schedule_;
  std::mt19937 random_;
  std::vector<Fiber> fibers_;
  ucontext_t scheduler_;
  const std::function<void(int)>* body_ = nullptr;
  std::size_t thread_ = 0;  // that runs
};

// The barriers that one block has come to.
using Barriers = std::vector<std::source_location>;

inline std::string file_and_line(const std::source_location& barrier) {
  const std::string file = barrier.file_name();
  return file.substr(file.rfind('/') + 1) + ':' + std::to_string(barrier.line());
}

// The block as one of its threads sees it.
class AdversarialBlock {
 public:
  AdversarialBlock(Fibers& fibers, int thread, Barriers& barriers)
      : fibers_(fibers), thread_(thread), barriers_(barriers) {}
  AdversarialBlock(const AdversarialBlock&) = delete;
  AdversarialBlock& operator=(const AdversarialBlock&) = delete;

  template <class F>
  void for_each(int count, const F& f) const {
    const Order order = fibers_.schedule().order;
    const int threads = fibers_.schedule().threads, shift = phase_++;
    // (step k + start) mod count, a permutation: the step is prime.
    const int start =
        static_cast<int>((fibers_.schedule().seed * 7919u + static_cast<unsigned>(shift) * 31u) % 1000u);
    const int step = count % 7919 == 0 ? 7907 : 7919;
    for (int k = (thread_ + shift) % threads; k < count; k += threads) {
      f(order == Order::ascending    ? k
        : order == Order::descending ? count - 1 - k
                                     : static_cast<int>((std::int64_t{step} * k + start) % count));
    }
  }
  template <class F>
  void for_each(int count, BlockStatus& status, const F& f) const {
    for_each(count, [&](int item) { f(item, status); });
  }

  void sync(const std::source_location& here = std::source_location::current()) const {
    if (static_cast<std::size_t>(barrier_) == barriers_.size()) barriers_.push_back(here);
    if (barrier_++ != fibers_.schedule().dropped) fibers_.yield();
  }

  bool leads() const { return thread_ == fibers_.schedule().threads - 1; }

  void collect(BlockStatus& status) const {
    fibers_.status(thread_) = status;
    fibers_.yield();
    if (!leads()) return;
    for (int other = thread_ - 1; other >= 0; --other) status.add(fibers_.status(other));
  }

 private:
  Fibers& fibers_;
  int thread_;
  Barriers& barriers_;
  mutable int phase_ = 0, barrier_ = 0;
};

// Runs kernels on resident patches (solvers/resident_kernels.hpp): blocks one after another, in the order of
// the schedule. `barriers`, if not null, returns those of the block that has come to most.
struct AdversarialLauncher {
  Schedule schedule;
  Barriers* barriers = nullptr;

  template <class Kernel>
  void operator()(const Kernel& kernel, int count) const {
    Fibers fibers(schedule);
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (schedule.order == Order::descending) std::reverse(order.begin(), order.end());
    std::mt19937 random(schedule.seed);
    if (schedule.order == Order::random) std::shuffle(order.begin(), order.end(), random);
    for (const int number : order) {
      Barriers met;
      fibers.run([&](int thread) { kernel.run(AdversarialBlock(fibers, thread, met), number); });
      if (barriers != nullptr && met.size() > barriers->size()) *barriers = met;
    }
  }
};

// As update_serially() (solvers/block_serial.hpp). Returns the barriers of a block.
template <class Kernel>
Barriers update_adversarially(const typename Kernel::Equation& pde, const DeviceBatch& batch,
                              const Schedule& schedule) {
  const Kernel kernel(pde, batch);
  Fibers fibers(schedule);
  Barriers barriers;
  std::vector<double> memory(static_cast<std::size_t>(Kernel::memory(batch.layout.p)));
  for (int i = 0; i < batch.count; ++i) {
    std::fill(memory.begin(), memory.end(), std::numeric_limits<double>::quiet_NaN());
    barriers.clear();
    fibers.run([&](int thread) {
      const AdversarialBlock block(fibers, thread, barriers);
      BlockStatus status;
      kernel.update(block, batch.patches[i], status, memory.data());
      block.collect(status);
      if (block.leads()) status.write(batch.status[i]);
    });
  }
  return barriers;
}

}  // namespace meander::solvers::test
