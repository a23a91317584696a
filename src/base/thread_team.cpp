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

#include "base/visible_threads.hpp"

namespace meander {

std::vector<Chunk> cut_by_weight(std::span<const double> weights, int parts) {
  std::vector<double> sums(weights.size() + 1, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[i + 1] = sums[i] + weights[i];
  std::vector<Chunk> chunks(static_cast<std::size_t>(parts));
  std::size_t begin = 0;
  for (std::size_t part = 0; part < chunks.size(); ++part) {
    const double ideal = sums.back() * static_cast<double>(part + 1) / parts;
    auto end = static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), ideal) - sums.begin());
    // The cut nearest to the ideal, so that no chunk is off by more than one item.
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

// The kernel's form of a mask, for as many processors as ours.
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
  // A thread that asks for all processors gets those it may have; and it is gone before it could mind.
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

// TBB gives no more workers than there are processors unless told otherwise, and of several such limits the
// least holds: so one for the whole process, which arenas then stay below.
void allow_more_threads_than_processors() {
  static const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4096);
}

}  // namespace

#if defined(__SANITIZE_THREAD__)
struct ThreadTeam::Arena : VisibleThreads {
  using VisibleThreads::VisibleThreads;
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

void ThreadTeam::run(int parts, const std::function<void(int)>& body) {
  if (threads_ == 1 || parts <= 1) {
    for (int part = 0; part < parts; ++part) body(part);
    return;
  }
  arena_->run(parts, body);
}

void ThreadTeam::for_chunks(std::size_t items,
                            const std::function<void(int, std::size_t, std::size_t)>& body) {
  const auto chunks = cut_evenly(items, threads_);
  run(threads_, [&](int part) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(part)];
    if (chunk.begin < chunk.end) body(part, chunk.begin, chunk.end);
  });
}

}  // namespace meander
