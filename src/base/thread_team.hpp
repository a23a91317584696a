// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Team of threads for bulk-synchronous sweeps: each thread processes one contiguous chunk, with a barrier at
// the end.

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

// Cuts [0, weights.size()) into `parts` contiguous chunks whose weights differ from the ideal by at most the
// weight of one item. Chunks may be empty. Deterministic.
std::vector<Chunk> cut_by_weight(std::span<const double> weights, int parts);

// As cut_by_weight, for equal weights.
std::vector<Chunk> cut_evenly(std::size_t items, int parts);

// Set of processors, indexed by the numbers of the kernel.
using Processors = std::bitset<4096>;

// Affinity mask of the calling thread. It equals that of the process unless the thread's mask was changed.
Processors processors_of_process();
// The largest mask that the process can set: all processors of the machine that the control group (container,
// batch job) permits.
Processors usable_processors();
// Number of processors in this process's affinity mask: the default number of threads.
int available_processors();

class ThreadTeam {
 public:
  // threads >= 1, including the calling thread.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(ThreadTeam&&) noexcept;
  ThreadTeam& operator=(ThreadTeam&&) noexcept;

  int size() const { return threads_; }

  // Runs body(part) for part = 0 .. parts - 1, in any order and on any thread, and returns when all have
  // ended. Rethrows an exception of a body after the other bodies have ended.
  void run(int parts, const std::function<void(int)>& body) const;

  // Cuts [0, items) into equal chunks, one per thread, and runs body(thread, begin, end) for each chunk.
  void for_chunks(std::size_t items, const std::function<void(int, std::size_t, std::size_t)>& body) const;

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace meander
