// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/host_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "base/log.hpp"
#include "gpu/thread_queue.hpp"

namespace meander::gpu {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

// Polls during the last tenth of a millisecond, because sleeping is too coarse.
void wait_until(std::int64_t time) {
  constexpr std::int64_t coarse = 100'000;
  const std::int64_t left = time - now();
  if (left > coarse) std::this_thread::sleep_for(std::chrono::nanoseconds(left - coarse));
  while (now() < time) std::this_thread::yield();
}

void delay(double seconds) {
  if (seconds > 0) wait_until(now() + static_cast<std::int64_t>(seconds * 1e9));
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
                                   ? "not within one block of device memory"
                                   : "host memory, which the device cannot access"));
    }
    if (place->space == Space::managed) device_.migrate(*place, bytes, Side::device);
    return place->address;
  }

 private:
  HostDevice& device_;
};

HostDevice::HostDevice(const HostDeviceSettings& settings)
    : settings_(settings), memory_(settings.capacity - settings.taken) {
  properties_.kind = "host";
  properties_.name = fmt::format("host:{}", settings.number);
  properties_.number = settings.number;
  properties_.memory = settings.capacity;
  properties_.reserved = settings.reserved;
  properties_.managed = settings.managed;
  properties_.ordered = true;
  properties_.checked = true;
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

// ---- operations of queues

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
  delay(settings_.allocation_stall);
}

void HostDevice::occupy(Link& link, double bandwidth, std::size_t bytes, HostMemoryKind kind) {
  const double factor = kind == HostMemoryKind::pinned ? 1 : settings_.pageable_factor;
  const double seconds =
      settings_.copy_latency + (bandwidth > 0 ? factor * static_cast<double>(bytes) / bandwidth : 0);
  if (seconds <= 0) return;
  std::int64_t end = 0;
  {
    const std::lock_guard lock(link.mutex);
    link.free_at = end = std::max(link.free_at, now()) + static_cast<std::int64_t>(seconds * 1e9);
  }
  wait_until(end);
}

void HostDevice::migrate(const HostAddressSpace::Place& place, std::size_t bytes, Side to) {
  if (memory_.move_to(place.block, to) == to) return;
  constexpr std::size_t faulting_piece = std::size_t{1} << 16;
  delay(settings_.page_fault * static_cast<double>((bytes + faulting_piece - 1) / faulting_piece));
  const bool in = to == Side::device;
  occupy(in ? in_ : out_, in ? settings_.bandwidth_in : settings_.bandwidth_out, bytes,
         HostMemoryKind::pinned);
}

void HostDevice::host_touched(void* pointer, std::size_t bytes) noexcept {
  const auto place = memory_.find(pointer, bytes);
  if (place && place->space == Space::managed) migrate(*place, bytes, Side::host);
}

void* HostDevice::address_for_messages(void* pointer, std::size_t bytes) {
  const auto place = memory_.find(pointer, bytes);
  if (!place) fail(fmt::format("messages at {}: the {} bytes are not within one block", pointer, bytes));
  return place->address;
}

void HostDevice::prefetch(Queue queue, void* pointer, std::size_t bytes, Side to) {
  const auto place = memory_.find(pointer, bytes);
  if (!place) fail("prefetch of memory that does not belong to the device");
  if (place->space != Space::managed) return;
  submit(queue, "prefetch", [this, block = place->block, bytes, to] {
    if (memory_.move_to(block, to) == to) return;
    const bool in = to == Side::device;
    occupy(in ? in_ : out_, in ? settings_.bandwidth_in : settings_.bandwidth_out, bytes,
           HostMemoryKind::pinned);
  });
}

void HostDevice::copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const bool in = direction == Copy::in, out = direction == Copy::out;
  const auto target = memory_.find(to, bytes);
  const auto source = memory_.find(from, bytes);
  if (!out && !target)
    fail(fmt::format("copy to {}: the {} bytes are not within one block of the device", to, bytes));
  if (!in && !source)
    fail(fmt::format("copy from {}: the {} bytes are not within one block of the device", from, bytes));
  if ((in && memory_.is_device(from)) || (out && memory_.is_device(to)))
    fail("copy between host and device: the host side is a device pointer");
  const bool pinned = in ? source.has_value() : !out || target.has_value();
  const HostMemoryKind kind = pinned ? HostMemoryKind::pinned : HostMemoryKind::pageable;
  void* real_to = target ? target->address : to;
  const void* real_from = source ? source->address : from;
  const char* const name = in ? "copy in" : out ? "copy out" : "copy";
  submit(queue, name, [=, this] {
    if (copies_.fetch_add(1) + 1 == settings_.failing_copy) fail("copy failed (injected)");
    if (in) occupy(in_, settings_.bandwidth_in, bytes, kind);
    if (out) occupy(out_, settings_.bandwidth_out, bytes, kind);
    std::memmove(real_to, real_from, bytes);
  });
}

void HostDevice::launch(Queue queue, const char* name, Work work) {
  submit(queue, name, [this, name, work = std::move(work)] {
    delay(settings_.launch_latency);
    if (launches_.fetch_add(1) + 1 == settings_.failing_launch)
      fail(fmt::format("kernel {} failed (injected)", name));
    work(HostExecution(*this));
    delay(settings_.kernel_delay);
  });
}

// Raw memory of the emulated device.

void* HostDevice::allocate(Space space, std::size_t bytes) {
  begin_call();
  if (space == Space::host || !properties_.supports(space))
    fail(fmt::format("the device has no {} memory", gpu::name(space)));
  if (bytes == 0) return nullptr;
  const std::uint64_t number = allocations_.fetch_add(1) + 1;
  stall();
  void* pointer = nullptr;
  if (number != settings_.failing_allocation && !fails_at_random(settings_.allocation_failures))
    pointer = memory_.allocate(space, bytes);
  if (pointer == nullptr)
    throw OutOfMemory(bytes, memory_.in_use(), {space, properties_.number}, 0, memory_.capacity());
  return pointer;
}

void HostDevice::deallocate(Space space, void* pointer) noexcept {
  if (pointer == nullptr) return;
  deallocations_.fetch_add(1);
  if (!lost()) stall();
  if (!memory_.deallocate(space, pointer))
    log::error(fmt::format("{}: free of {}, which is not a block of {} memory of the device",
                           properties_.name, pointer, gpu::name(space)));
}

void* HostDevice::allocate_ordered(Queue queue, std::size_t bytes) {
  begin_call();
  queue_of(queue, "allocate_ordered");
  if (bytes == 0) return nullptr;
  void* pointer = memory_.allocate(Space::device, bytes);
  if (pointer == nullptr) {
    // Deallocations of other queues may not have run yet.
    settle(mark(queue));
    pointer = memory_.allocate(Space::device, bytes);
  }
  if (pointer == nullptr)
    throw OutOfMemory(bytes, memory_.in_use(), {Space::device, properties_.number}, 0, memory_.capacity());
  return pointer;
}

void HostDevice::deallocate_ordered(Queue queue, void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto& state = static_cast<ThreadQueue&>(*queue.state());
  state.submit({"free", [this, pointer] { memory_.deallocate(Space::device, pointer); },
                ThreadQueue::Policy::always, Processor::host});
}

void HostDevice::restrict_access(void* pointer, std::size_t usable, std::size_t bytes,
                                 Contents contents) noexcept {
  memory_.restrict_access(pointer, usable, bytes, contents);
}

std::size_t HostDevice::available() noexcept {
  return memory_.capacity() - memory_.in_use();
}

}  // namespace meander::gpu
