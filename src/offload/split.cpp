// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "offload/split.hpp"

#include <algorithm>

namespace meander::offload {
namespace {

// Weight of the last sweep in the smoothed rates.
constexpr double newest = 0.25;
// The rates of devices without batches decay by this factor a sweep, so that devices that were too slow are
// tried again after a while, which costs little.
constexpr double forgetting = 0.95;

void smooth(double& rate, double sample) {
  rate = rate == 0 ? sample : (1 - newest) * rate + newest * sample;
}

}  // namespace

void Split::begin(std::size_t leaves) {
  put_ = to_devices_ = to_threads_ = 0;
  remain_ = static_cast<std::int64_t>(leaves);
  thread_seconds_ = batch_seconds_ = 0;
  thread_patches_ = device_patches_ = 0;
}

// The enclaves meant for devices, of those in the pool so far, in whole batches.
std::size_t Split::for_devices() const {
  const std::size_t put = put_.load(std::memory_order_relaxed), batch = of_last_;
  constexpr double rounding = 1e-9;
  const auto share = static_cast<std::size_t>(options_.share * static_cast<double>(put) + rounding);
  return std::min(share, put) / batch * batch;
}

std::size_t Split::reserve_batch() {
  if (options_.measured) {
    const double left = static_cast<double>(remain_.load(std::memory_order_relaxed));
    const bool known = rates_.thread_patch > 0 && rates_.batch > 0;
    if (known && rates_.batch >= rates_.thread_patch * left / threads_) return 0;
  }
  const std::size_t batch = of_last_;
  const std::size_t before = to_devices_.fetch_add(batch);
  remain_.fetch_sub(static_cast<std::int64_t>(batch));
  if (options_.measured || before + batch <= for_devices()) return batch;
  sent(batch, 0);
  return 0;
}

void Split::sent(std::size_t reserved, std::size_t tasks) {
  to_devices_.fetch_sub(reserved - tasks);
  remain_.fetch_add(static_cast<std::int64_t>(reserved - tasks));
  if (tasks > 0) of_last_.store(tasks, std::memory_order_relaxed);
}

bool Split::reserve_patch(std::size_t waiting, std::size_t in_flight) {
  if (options_.measured) {
    const bool known = rates_.thread_patch > 0 && rates_.device_patch > 0;
    if (known && rates_.thread_patch >= rates_.device_patch * static_cast<double>(waiting + in_flight))
      return false;
  }
  const std::size_t before = to_threads_.fetch_add(1);
  if (options_.measured || before + for_devices() < put_.load()) return true;
  to_threads_.fetch_sub(1);
  return false;
}

void Split::updated(double seconds) {
  remain_.fetch_sub(1, std::memory_order_relaxed);
  thread_seconds_.fetch_add(seconds, std::memory_order_relaxed);
  thread_patches_.fetch_add(1, std::memory_order_relaxed);
}

void Split::returned(double seconds) {
  batch_seconds_.fetch_add(seconds, std::memory_order_relaxed);
  device_patches_.fetch_add(1, std::memory_order_relaxed);
}

void Split::end(double seconds) {
  if (thread_patches_ > 0)
    smooth(rates_.thread_patch, thread_seconds_ / static_cast<double>(thread_patches_));
  if (device_patches_ > 0) {
    const auto patches = static_cast<double>(device_patches_);
    smooth(rates_.device_patch, seconds / patches);
    smooth(rates_.batch, batch_seconds_ / patches * static_cast<double>(of_last_));
  } else {
    rates_.device_patch *= forgetting;
    rates_.batch *= forgetting;
  }
}

}  // namespace meander::offload
