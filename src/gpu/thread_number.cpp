// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/thread_number.hpp"

#include <mutex>
#include <set>

namespace meander::gpu::detail {

namespace {

struct Numbers {
  std::mutex mutex;
  std::set<int> free;
  int next = 0;
};

// Never destroyed, because threads may end after main has returned.
Numbers& numbers() {
  static auto* all = new Numbers;
  return *all;
}

struct Returned {
  int number = -1;
  ~Returned() {
    if (number < 0) return;
    const std::lock_guard lock(numbers().mutex);
    numbers().free.insert(number);
  }
};

}  // namespace

int assign_thread_number() {
  static thread_local Returned at_the_end;
  const std::lock_guard lock(numbers().mutex);
  if (numbers().free.empty()) {
    thread_number = numbers().next++;
  } else {
    thread_number = *numbers().free.begin();
    numbers().free.erase(numbers().free.begin());
  }
  return at_the_end.number = thread_number;
}

}  // namespace meander::gpu::detail
