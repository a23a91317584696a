// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A team of threads for bulk-synchronous sweeps: each thread takes one contiguous chunk, and all end
// together.

#include <bitset>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace meander {

struct Chunk {
  std::size_t begin = 0, end = 0;
};

// Cuts [0, weights.size()) into `parts` contiguous chunks whose weights differ from the ideal by at most one
// item's. Parts may be empty. The same cut for the same arguments, always.
std::vector<Chunk> cut_by_weight(std::span<const double> weights, int parts);

// The same for equal weights.
std::vector<Chunk> cut_evenly(std::size_t items, int parts);

// Processors of a machine, by the kernel's numbers.
using Processors = std::bitset<4096>;

// This thread's affinity mask, which is the process's unless somebody changed it.
Processors processors_of_process();
// What the mask could be widened to: the machine, as far as the control group (a container, a batch job) lets
// us.
Processors usable_processors();
// Number of processors in this process's affinity mask: the default number of threads.
int available_processors();

class ThreadTeam {
 public:
  // threads >= 1. The calling thread counts as one of them.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(ThreadTeam&&) noexcept;
  ThreadTeam& operator=(ThreadTeam&&) noexcept;

  int size() const { return threads_; }

  // Runs body(part) for part = 0 .. parts - 1, in any order and on any thread, and returns when all are done.
  // An exception of a body is rethrown here after the others have ended.
  void run(int parts, const std::function<void(int)>& body);

  // Cuts [0, items) evenly, one chunk a thread, and runs body(thread, begin, end).
  void for_chunks(std::size_t items, const std::function<void(int, std::size_t, std::size_t)>& body);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace meander
