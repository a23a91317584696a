// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Raw memory of the emulated device.

#include <fmt/format.h>

#include "base/log.hpp"
#include "gpu/host_device.hpp"
#include "gpu/thread_queue.hpp"

namespace meander::gpu {

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
