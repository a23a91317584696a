// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/host_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

namespace meander::gpu {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

// Sleeping is too coarse for the last tenth of a millisecond.
void pass_until(std::int64_t time) {
  constexpr std::int64_t coarse = 100'000;
  const std::int64_t left = time - now();
  if (left > coarse) std::this_thread::sleep_for(std::chrono::nanoseconds(left - coarse));
  while (now() < time) std::this_thread::yield();
}

void pass(double seconds) {
  if (seconds > 0) pass_until(now() + static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

class HostDevice::HostExecution final : public Execution {
 public:
  explicit HostExecution(HostDevice& device) : device_(device) {}
  bool on_host() const noexcept override { return true; }
  void* native_queue() const noexcept override { return nullptr; }

 protected:
  void* translate(void* pointer, std::size_t bytes) const override {
    const auto place = device_.memory_.find(pointer, bytes);
    if (!place) {
      device_.fail(fmt::format("illegal address: {} bytes at {} are {}", bytes, pointer,
                               device_.memory_.is_device(pointer)
                                   ? "in no one block of the device's memory"
                                   : "host memory, which the device does not reach"));
    }
    if (place->space == Space::managed) device_.migrate(*place, bytes, true);
    return place->address;
  }

 private:
  HostDevice& device_;
};

HostDevice::HostDevice(const HostDeviceSettings& settings) : settings_(settings), memory_(settings.capacity) {
  properties_.kind = "host";
  properties_.name = fmt::format("host:{}", settings.number);
  properties_.number = settings.number;
  properties_.memory = settings.capacity;
  properties_.managed = settings.managed;
  properties_.ordered = true;
}

HostDevice::~HostDevice() {
  stop_queues();
}

void HostDevice::begin_call() {
  const std::uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (settings_.dies_after > 0 && call > settings_.dies_after) lost_ = true;
  ThreadedDevice::begin_call();
}

bool HostDevice::fails_at_random(double probability) {
  if (probability <= 0) return false;
  std::minstd_rand engine(static_cast<unsigned>(settings_.seed * 7919 + dice_.fetch_add(1)));
  engine.discard(3);
  return std::uniform_real_distribution<double>(0, 1)(engine) < probability;
}

// ---- what queues do

void HostDevice::begin_operation() {
  if (settings_.allocation_stall <= 0) return;
  const std::lock_guard open(gate_);
  const std::lock_guard lock(running_mutex_);
  ++running_;
}

void HostDevice::end_operation() {
  if (settings_.allocation_stall <= 0) return;
  const std::lock_guard lock(running_mutex_);
  if (--running_ == 0) nothing_runs_.notify_all();
}

void HostDevice::stall() {
  if (settings_.allocation_stall <= 0) return;
  const std::lock_guard shut(gate_);
  std::unique_lock lock(running_mutex_);
  nothing_runs_.wait(lock, [&] { return running_ == 0; });
  pass(settings_.allocation_stall);
}

void HostDevice::occupy(Link& link, double bandwidth, std::size_t bytes, bool pinned) {
  const double factor = pinned ? 1 : settings_.pageable_factor;
  const double seconds =
      settings_.copy_latency + (bandwidth > 0 ? factor * static_cast<double>(bytes) / bandwidth : 0);
  if (seconds <= 0) return;
  std::int64_t end = 0;
  {
    const std::lock_guard lock(link.mutex);
    link.free_at = end = std::max(link.free_at, now()) + static_cast<std::int64_t>(seconds * 1e9);
  }
  pass_until(end);
}

void HostDevice::migrate(const HostAddressSpace::Place& place, std::size_t bytes, bool to_device) {
  if (memory_.move_to(place.block, to_device) == to_device) return;
  constexpr std::size_t faulting_piece = std::size_t{1} << 16;
  pass(settings_.page_fault * static_cast<double>((bytes + faulting_piece - 1) / faulting_piece));
  occupy(to_device ? in_ : out_, to_device ? settings_.bandwidth_in : settings_.bandwidth_out, bytes, true);
}

void HostDevice::host_touched(void* pointer, std::size_t bytes) noexcept {
  const auto place = memory_.find(pointer, bytes);
  if (place && place->space == Space::managed) migrate(*place, bytes, false);
}

void HostDevice::prefetch(Queue queue, void* pointer, std::size_t bytes, bool to_device) {
  const auto place = memory_.find(pointer, bytes);
  if (!place) fail("prefetch of memory that is not the device's");
  if (place->space != Space::managed) return;
  submit(queue, "prefetch", [this, block = place->block, bytes, to_device] {
    if (memory_.move_to(block, to_device) == to_device) return;
    occupy(to_device ? in_ : out_, to_device ? settings_.bandwidth_in : settings_.bandwidth_out, bytes, true);
  });
}

void HostDevice::copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const bool in = direction == Copy::in, out = direction == Copy::out;
  const auto target = memory_.find(to, bytes);
  const auto source = memory_.find(from, bytes);
  if (!out && !target)
    fail(fmt::format("copy to {}: {} bytes there are in no one block of the device's", to, bytes));
  if (!in && !source)
    fail(fmt::format("copy from {}: {} bytes there are in no one block of the device's", from, bytes));
  if ((in && memory_.is_device(from)) || (out && memory_.is_device(to)))
    fail("copy between host and device: the host's side is a device pointer");
  const bool pinned = in ? source.has_value() : !out || target.has_value();
  void* real_to = target ? target->address : to;
  const void* real_from = source ? source->address : from;
  const char* const name = in ? "copy in" : out ? "copy out" : "copy";
  submit(queue, name, [=, this] {
    if (copies_.fetch_add(1) + 1 == settings_.failing_copy) fail("copy failed (injected)");
    if (in) occupy(in_, settings_.bandwidth_in, bytes, pinned);
    if (out) occupy(out_, settings_.bandwidth_out, bytes, pinned);
    std::memmove(real_to, real_from, bytes);
  });
}

void HostDevice::launch(Queue queue, const char* name, Work work) {
  submit(queue, name, [this, name, work = std::move(work)] {
    pass(settings_.launch_latency);
    if (launches_.fetch_add(1) + 1 == settings_.failing_launch)
      fail(fmt::format("kernel {} failed (injected)", name));
    work(HostExecution(*this));
    pass(settings_.kernel_delay);
  });
}

}  // namespace meander::gpu
