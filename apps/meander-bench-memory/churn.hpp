// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threads that allocate and free, and what that costs them.

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

namespace meander::bench {

struct Load {
  int threads = 1;
  int blocks = 16;         // live at any time, a thread
  long pairs = 1'000'000;  // of an allocation and a deallocation, of all threads
};

// Nanoseconds a pair, the loop's own work included.
struct Cost {
  double user = 0, system = 0, wall = 0;
};

// Starts the threads, has each call `work`, and measures from the first call's beginning to the last one's
// end.
Cost measure(const Load& load, const std::function<void(int thread, long pairs)>& work);
// The n-th of 8 sizes in geometric progression from 40 KiB to 8 MiB.
std::size_t size_of(unsigned n);

// Each thread keeps its blocks live; again and again it frees one of them, at random, and allocates one of
// another size, at random. At the end all is freed. Given are allocate(thread, bytes) and
// deallocate(thread, pointer, bytes), called by many threads at once.
template <class Allocate, class Deallocate>
Cost churn(const Load& load, Allocate allocate, Deallocate deallocate) {
  return measure(load, [&](int thread, long pairs) {
    constexpr unsigned sizes = 8;
    std::size_t table[sizes];
    for (unsigned i = 0; i < sizes; ++i) table[i] = size_of(i);
    struct Held {
      void* pointer = nullptr;
      std::size_t bytes = 0;
    };
    std::vector<Held> held(static_cast<std::size_t>(load.blocks));
    std::minstd_rand engine(static_cast<unsigned>(1 + thread));
    for (long i = 0; i < pairs; ++i) {
      const auto dice = static_cast<unsigned>(engine());
      Held& block = held[(dice >> 3) % held.size()];
      deallocate(thread, block.pointer, block.bytes);
      block.bytes = table[dice % sizes];
      block.pointer = allocate(thread, block.bytes);
    }
    for (const Held& block : held) deallocate(thread, block.pointer, block.bytes);
  });
}

}  // namespace meander::bench
