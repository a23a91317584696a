// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "adaptors/memory.hpp"

namespace meander::gpu {

namespace {

bool on_device(const Memory& memory) {
  return memory.place().space == Space::device || memory.place().space == Space::managed;
}

}  // namespace

void copy(Device* device, Queue queue, const Memory& to, const Memory& from, std::size_t bytes) {
  if (bytes > to.bytes() || bytes > from.bytes())
    throw DeviceError("the copy exceeds the size of the memory", false);
  if (bytes == 0) return;
  const bool in = on_device(to), out = on_device(from);
  if (!in && !out && queue.synchronous()) {
    std::memmove(to.data(), from.data(), bytes);
    return;
  }
  if (device == nullptr) throw DeviceError("a copy from or to a device requires the device", false);
  if (!in && !out) {
    device->call_host(
        queue, [target = to.data(), source = from.data(), bytes] { std::memmove(target, source, bytes); });
    return;
  }
  const Queue used = queue.synchronous() ? device->create_queue() : queue;
  const Copy direction = in && out ? Copy::within : in ? Copy::in : Copy::out;
  try {
    device->copy(used, direction, to.data(), from.data(), bytes);
    if (queue.synchronous()) device->synchronize(used);
  } catch (...) {
    if (queue.synchronous()) device->destroy_queue(used);
    throw;
  }
  if (queue.synchronous()) device->destroy_queue(used);
}

}  // namespace meander::gpu
