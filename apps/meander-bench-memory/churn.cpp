// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "churn.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

namespace meander::bench {

namespace {

double nanoseconds(const timeval& time) {
  return 1e9 * static_cast<double>(time.tv_sec) + 1e3 * static_cast<double>(time.tv_usec);
}

struct Clocks {
  rusage usage{};
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  Clocks() { getrusage(RUSAGE_SELF, &usage); }
};

}  // namespace

std::size_t size_of(unsigned n) {
  constexpr double least = 40 * 1024, ratio = 8.0 * 1024 / 40;
  return static_cast<std::size_t>(std::lround(least * std::pow(ratio, n / 7.0)));
}

Cost measure(const Load& load, const std::function<void(int thread, long pairs)>& work) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> team;
  for (int thread = 0; thread < load.threads; ++thread) {
    team.emplace_back([&, thread] {
      ++ready;
      while (!go) std::this_thread::yield();
      work(thread, load.pairs / load.threads);
    });
  }
  while (ready < load.threads) std::this_thread::yield();
  const Clocks begin;
  go = true;
  for (auto& thread : team) thread.join();
  const Clocks end;
  const auto pairs = static_cast<double>(load.pairs / load.threads * load.threads);
  return {(nanoseconds(end.usage.ru_utime) - nanoseconds(begin.usage.ru_utime)) / pairs,
          (nanoseconds(end.usage.ru_stime) - nanoseconds(begin.usage.ru_stime)) / pairs,
          std::chrono::duration<double, std::nano>(end.wall - begin.wall).count() / pairs};
}

}  // namespace meander::bench
