// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/level_tasks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/trace.hpp"
#include "tasks/poll_interval.hpp"
#include "tasks/status.hpp"

namespace meander::tasks {
namespace {

const char* trace_name(LevelRole role, int level) {
  using Names = std::array<std::string, solvers::Status::most_levels>;
  static const auto names = [] {
    std::pair<Names, Names> all;
    for (std::size_t l = 0; l < solvers::Status::most_levels; ++l) {
      all.first[l] = "skeletons of level " + std::to_string(l);
      all.second[l] = "enclaves of level " + std::to_string(l);
    }
    return all;
  }();
  const auto l = static_cast<std::size_t>(level);
  return role == LevelRole::skeleton ? names.first[l].c_str() : names.second[l].c_str();
}

}  // namespace

// One thread: takes tasks and shows in traces what it does.
class LevelTasks::Worker {
 public:
  Worker(LevelTasks& tasks, int thread) : tasks_(tasks), thread_(thread) {}

  // Does one task. Returns its deadline, if there was one.
  std::optional<std::size_t> work() {
    auto& queues = tasks_.queues_;
    const std::size_t first = tasks_.seed_ == 0 ? 0 : tasks_.random() % queues.size();
    for (std::size_t i = 0; i < queues.size(); ++i) {
      Queue& queue = queues[(first + i) % queues.size()];
      const auto leaf = queue.leaves.take(thread_);
      if (!leaf) continue;
      if (current_ != &queue) {
        current_ = &queue;
        scope_.reset();
        scope_.emplace(queue.trace_name);
      }
      const OverlapScope overlap(&tasks_.messages_);
      tasks_.update_(*leaf);
      return queue.deadline;
    }
    return {};
  }

 private:
  LevelTasks& tasks_;
  const int thread_;
  const Queue* current_ = nullptr;
  std::optional<trace::Scope> scope_;
};

void LevelTasks::start(int coarsest, std::size_t levels, std::function<void(std::int32_t)> update) {
  levels_ = levels;
  update_ = std::move(update);
  queues_.clear();
  for (std::size_t level = levels; level-- > 0;) {
    for (const LevelRole role : {LevelRole::skeleton, LevelRole::enclave}) {
      if (role == LevelRole::skeleton && level == 0) continue;
      const std::size_t of = role == LevelRole::skeleton ? level - 1 : level;
      queues_.push_back({level, trace_name(role, coarsest + static_cast<int>(of)), TaskQueue(team_.size())});
    }
  }
}

std::size_t LevelTasks::index(std::size_t level, LevelRole role) const {
  const std::size_t pair = 2 * (levels_ - 1 - deadline(level, role));
  return role == LevelRole::enclave && level > 0 ? pair + 1 : pair;
}

void LevelTasks::put(std::size_t level, LevelRole role, std::span<const std::int32_t> leaves) {
  if (leaves.empty()) return;
  TaskQueue& queue = queues_[index(level, role)].leaves;
  if (seed_ == 0) return queue.put(leaves);
  std::vector<std::int32_t> shuffled(leaves.begin(), leaves.end());
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(random()));
  queue.put(shuffled);
}

void LevelTasks::finish(std::size_t deadline, const std::function<void()>& progress) {
  std::size_t due = 0;
  for (const Queue& queue : queues_) due += queue.deadline >= deadline ? queue.leaves.size() : 0;
  if (due == 0) return;
  std::atomic<std::size_t> left = due;
  team_.run(team_.size(), [&](int thread) {
    Worker worker(*this, thread);
    PollInterval interval;
    while (left > 0) {
      if (progress && interval.is_over()) progress();
      const auto done = worker.work();
      if (!done) return;
      if (*done >= deadline) --left;
    }
  });
}

void LevelTasks::work_until(const std::function<bool()>& arrived) {
  if (is_idle() || arrived()) return;
  std::atomic<bool> is_over = false;
  team_.run(team_.size(), [&](int thread) {
    Worker worker(*this, thread);
    PollInterval interval;
    while (!is_over) {
      if (interval.is_over() && arrived()) is_over = true;
      if (is_over || !worker.work()) return;
    }
  });
}

bool LevelTasks::is_idle() const {
  return std::ranges::all_of(queues_, [](const Queue& queue) { return queue.leaves.size() == 0; });
}

// Splitmix64, by the number of the draw.
std::uint64_t LevelTasks::random() {
  std::uint64_t x = seed_ + 0x9e3779b97f4a7c15 * ++draws_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace meander::tasks
