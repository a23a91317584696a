// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_team.hpp"

#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "base/instrumented_threads.hpp"

namespace meander {

std::vector<Chunk> cut_by_weight(std::span<const double> weights, int parts) {
  std::vector<double> sums(weights.size() + 1, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[i + 1] = sums[i] + weights[i];
  std::vector<Chunk> chunks(static_cast<std::size_t>(parts));
  std::size_t begin = 0;
  for (std::size_t part = 0; part < chunks.size(); ++part) {
    const double ideal = sums.back() * static_cast<double>(part + 1) / parts;
    auto end = static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), ideal) - sums.begin());
    // The cut nearest to the ideal one: no chunk differs from the ideal weight by more than one item.
    if (end > 0 && ideal - sums[end - 1] < sums[std::min(end, weights.size())] - ideal) --end;
    end = part + 1 == chunks.size() ? weights.size() : std::clamp(end, begin, weights.size());
    chunks[part] = {begin, end};
    begin = end;
  }
  return chunks;
}

std::vector<Chunk> cut_evenly(std::size_t items, int parts) {
  std::vector<Chunk> chunks(static_cast<std::size_t>(parts));
  const auto n = static_cast<std::size_t>(parts);
  for (std::size_t part = 0; part < n; ++part) chunks[part] = {items * part / n, items * (part + 1) / n};
  return chunks;
}

namespace {

// Affinity mask in the format of the kernel, with the number of processors of Processors.
struct KernelMask {
  static constexpr std::size_t processors = Processors().size();
  cpu_set_t sets[processors / CPU_SETSIZE];
};

}  // namespace

Processors processors_of_process() {
  Processors result;
  KernelMask mask{};
  if (sched_getaffinity(0, sizeof mask, mask.sets) == 0) {
    for (std::size_t p = 0; p < KernelMask::processors; ++p)
      result[p] = CPU_ISSET_S(p, sizeof mask, mask.sets);
  }
  if (result.none()) result.set(0);
  return result;
}

Processors usable_processors() {
  Processors result;
  // The kernel restricts a request for all processors to the permitted ones. A temporary thread makes the
  // request, so that the mask of the calling thread does not change.
  std::thread([&] {
    KernelMask all{};
    for (std::size_t p = 0; p < KernelMask::processors; ++p) CPU_SET_S(p, sizeof all, all.sets);
    sched_setaffinity(0, sizeof all, all.sets);
    result = processors_of_process();
  }).join();
  return result;
}

int available_processors() {
  return static_cast<int>(processors_of_process().count());
}

namespace {

// By default TBB limits the number of workers to the number of processors. The smallest of several limits
// applies; therefore one limit is set for the whole process, above the size of any arena.
void allow_more_threads_than_processors() {
  static const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4096);
}

}  // namespace

#if defined(__SANITIZE_THREAD__)
struct ThreadTeam::Arena : InstrumentedThreads {
  using InstrumentedThreads::InstrumentedThreads;
};
#else
struct ThreadTeam::Arena {
  tbb::task_arena arena;
  explicit Arena(int threads) : arena(threads, 1) {}
  void run(int parts, const std::function<void(int)>& body) {
    arena.execute([&] { tbb::parallel_for(0, parts, body, tbb::static_partitioner{}); });
  }
};
#endif

ThreadTeam::ThreadTeam(int threads)
    : threads_(std::max(1, threads)), arena_(std::make_unique<Arena>(threads_)) {
  allow_more_threads_than_processors();
}
ThreadTeam::~ThreadTeam() = default;
ThreadTeam::ThreadTeam(ThreadTeam&&) noexcept = default;
ThreadTeam& ThreadTeam::operator=(ThreadTeam&&) noexcept = default;

void ThreadTeam::run(int parts, const std::function<void(int)>& body) const {
  if (threads_ == 1 || parts <= 1) {
    for (int part = 0; part < parts; ++part) body(part);
    return;
  }
  arena_->run(parts, body);
}

void ThreadTeam::for_chunks(std::size_t items,
                            const std::function<void(int, std::size_t, std::size_t)>& body) const {
  if (items == 0) return;
  if (items == 1 || threads_ == 1) return body(0, 0, items);
  const auto chunks = cut_evenly(items, threads_);
  run(threads_, [&](int part) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(part)];
    if (chunk.begin < chunk.end) body(part, chunk.begin, chunk.end);
  });
}

}  // namespace meander
