// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The updates of leaves in local time steps as tasks with deadlines. A leaf that finer halos read within its
// step (skeleton) is due at the end of the first step that the next finer level takes in it; any other leaf of
// a level (enclave) at the end of the level's own step. Until then tasks fill the time in which messages are
// under way, and threads that the tasks due do not occupy.
//
// Finer levels end their steps earlier, so the earliest deadline comes first if finer deadlines do. Tasks read
// and write nothing of each other: their order changes no bit.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "base/overlap.hpp"
#include "base/thread_team.hpp"
#include "tasks/task_queue.hpp"

namespace meander::tasks {

enum class LevelRole : std::uint8_t { skeleton, enclave };

// Levels count from the coarsest that has leaves, as in LevelClock.
class LevelTasks {
 public:
  // Both outlive this.
  LevelTasks(ThreadTeam& team, OverlapMeter& messages) : team_(team), messages_(messages) {}

  // Before a step of level 0, which is level `coarsest` of the tree: no task is left. update(leaf) is called
  // concurrently for different leaves.
  void start(int coarsest, std::size_t levels, std::function<void(std::int32_t leaf)> update);

  // The level at the end of whose step these leaves are due.
  static std::size_t deadline(std::size_t level, LevelRole role) {
    return role == LevelRole::skeleton ? level + 1 : level;
  }
  // Adds leaves that may be updated from now on.
  void put(std::size_t level, LevelRole role, std::span<const std::int32_t> leaves);

  // Returns when all tasks with this deadline and finer ones are done. A thread that finds none left works on
  // others until the last of them is done. Threads call progress() between tasks, if it is not empty.
  void finish(std::size_t deadline, const std::function<void()>& progress = {});
  // Works on tasks until arrived() is true or no task is left. Any thread calls arrived().
  void work_until(const std::function<bool()>& arrived);

  // For tests: takes tasks in a random order, without regard to deadlines. 0: by deadline.
  void shuffle(std::uint64_t seed) { seed_ = seed; }

 private:
  struct Queue {
    std::size_t deadline;
    const char* trace_name;
    TaskQueue leaves;
  };
  class Worker;
  // In the order of deadlines, two a level: skeletons of the next coarser level, then enclaves.
  std::size_t index(std::size_t level, LevelRole role) const;
  std::uint64_t random();
  bool is_idle() const;

  ThreadTeam& team_;
  OverlapMeter& messages_;
  std::size_t levels_ = 0;
  std::function<void(std::int32_t)> update_;
  std::deque<Queue> queues_;
  std::uint64_t seed_ = 0;
  std::atomic<std::uint64_t> draws_{0};
};

}  // namespace meander::tasks
