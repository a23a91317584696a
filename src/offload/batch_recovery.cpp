// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Recovery of a failed batch: the ladder of offload_engine.hpp.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/log.hpp"
#include "offload/device_slot.hpp"
#include "offload/engine.hpp"

namespace meander::offload {
namespace {

constexpr int hopeless = 3;  // batches in a row of which no patch could be updated

}  // namespace

void Engine::recover(Stream& stream, const std::string& reason, Fault fault) {
  DeviceSlot& device_slot = stream.device_slot;
  failed_.fetch_add(1);
  warn_once(device_slot, reason, stream.tasks.size());
  bool any = false;
  device_slot.recovering.fetch_add(1);
  {
    const std::lock_guard lock(device_slot.ladder);
    if (fault == Fault::out_of_memory) wait_for_others(device_slot);
    any = retry(stream, fault);
  }
  device_slot.recovering.fetch_sub(1);
  if (device_slot.device->lost() || (!any && device_slot.failed_in_a_row.fetch_add(1) + 1 >= hopeless))
    give_up(device_slot);
  release(stream);
}

// The batches that it completes may require recovery themselves: hence the recursive mutex.
void Engine::wait_for_others(DeviceSlot& device_slot) {
  device_slot.most_in_flight.store(1);
  while (device_slot.in_flight.load() > device_slot.recovering.load()) {
    if (!complete()) std::this_thread::yield();
  }
}

bool Engine::retry(Stream& stream, Fault fault) {
  if (!stream.device_slot.device->lost()) {
    stream.device_slot.strategy->trim();
    retried_.fetch_add(1);
    fault = attempt(stream, stream.tasks);
    if (fault == Fault::none) return true;
  }
  return retry_smaller(stream, stream.tasks, fault);
}

bool Engine::retry_smaller(Stream& stream, Tasks tasks, Fault fault) {
  DeviceSlot& device_slot = stream.device_slot;
  if (tasks.size() == 1 || device_slot.device->lost()) {
    update_on_cpu(tasks);
    return false;
  }
  split_.fetch_add(1);
  const std::size_t half = tasks.size() / 2;
  if (fault == Fault::out_of_memory) device_slot.batch = std::min(device_slot.batch.load(), half);
  bool any = false;
  for (const Tasks smaller : {tasks.first(half), tasks.subspan(half)}) {
    const Fault again = attempt(stream, smaller);
    any |= again == Fault::none || retry_smaller(stream, smaller, again);
  }
  return any;
}

auto Engine::attempt(Stream& stream, Tasks tasks) -> Fault {
  Fault fault = Fault::none;
  try {
    stream.execution.start(call_on(stream.device_slot), tasks);
    write_back(stream);
    return fault;
  } catch (const gpu::OutOfMemory&) {
    fault = Fault::out_of_memory;
  } catch (const gpu::DeviceError&) {
    fault = Fault::device_error;
  }
  stream.execution.abandon();
  return fault;
}

void Engine::update_on_cpu(Tasks tasks) {
  on_cpu_.fetch_add(static_cast<std::int64_t>(tasks.size()));
  for (const EnclaveTask& task : tasks) {
    const auto start = std::chrono::steady_clock::now();
    call_.solver->update({task.patch, 1}, call_.layout, call_.stage, call_.t, call_.dt, {task.status, 1});
    done_(task, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

void Engine::give_up(DeviceSlot& device_slot) {
  if (!device_slot.given_up.exchange(true)) given_up_.fetch_add(1);
}

void Engine::warn_once(const DeviceSlot& device_slot, const std::string& reason, std::size_t patches) {
  if (warned_.exchange(true)) return;
  log::warning(fmt::format(
      "a batch of {} patches failed on {} ({}); failed batches are retried in ever smaller batches, finally "
      "on the CPU; the summary counts them",
      patches, device_slot.device->properties().name, reason));
}

}  // namespace meander::offload
