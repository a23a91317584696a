// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A number that is found once for each device, such as a limit of a kernel there. The call that finds it takes
// a lock and may set up the device; all later calls cost one load. Constant initialisation; thread-safe.

#include <atomic>
#include <cstddef>
#include <mutex>

namespace meander::gpu {

class OncePerDevice {
 public:
  // The result of find(), a number >= 0, for the device of that number. If find() throws, the next call tries
  // again.
  template <class Find>
  long operator()(int device, const Find& find) {
    const auto index = static_cast<std::size_t>(device);
    if (index >= most_devices) return find();
    const long known = found_[index].load(std::memory_order_acquire) - 1;
    if (known >= 0) return known;
    const std::lock_guard lock(mutex_);
    if (const long meanwhile = found_[index].load(std::memory_order_relaxed) - 1; meanwhile >= 0)
      return meanwhile;
    const long value = find();
    found_[index].store(value + 1, std::memory_order_release);
    return value;
  }

 private:
  static constexpr std::size_t most_devices = 64;
  std::mutex mutex_;
  std::atomic<long> found_[most_devices]{};  // the number + 1; 0: unknown
};

}  // namespace meander::gpu
