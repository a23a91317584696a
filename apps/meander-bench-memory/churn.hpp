// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cost of allocations and deallocations by many threads.

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

namespace meander::bench {

struct Load {
  int threads = 1;
  int blocks = 16;         // live blocks per thread
  long pairs = 1'000'000;  // pairs of an allocation and a deallocation, sum over all threads
};

// Nanoseconds per pair, including the loop overhead. User and system: CPU time of all threads.
struct Cost {
  double user = 0, system = 0, wall = 0;
};

// Calls `work` once per thread, concurrently. Measures from the begin of the first call to the end of the
// last one.
Cost measure(const Load& load, const std::function<void(int thread, long pairs)>& work);
// The n-th of 8 sizes in geometric progression from 40 KiB to 8 MiB.
std::size_t size_of(unsigned n);

// Each thread holds load.blocks blocks. For each pair it deallocates a random one and allocates a block of
// random size; at the end it deallocates all. allocate(thread, bytes) and deallocate(thread, pointer, bytes)
// are called concurrently. deallocate is also called for null.
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
