// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a batch is formed: a free stream of a device is claimed, a batch of tasks leaves the pool, and is
// submitted.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/trace.hpp"
#include "offload/device_slot.hpp"
#include "offload/engine.hpp"

namespace meander::offload {

Engine::Stream* Engine::claim() {
  const std::size_t first = next_stream_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = *streams_[(first + i) % streams_.size()];
    DeviceSlot& device_slot = stream.device_slot;
    if (device_slot.given_up.load(std::memory_order_relaxed)) continue;
    if (device_slot.in_flight.load() >= device_slot.most_in_flight.load()) continue;
    int state = Stream::idle;
    if (!stream.state.compare_exchange_strong(state, Stream::claimed, std::memory_order_acquire)) continue;
    in_flight_.fetch_add(1);
    // Checked again after the increment: a thread that lowers the limit and then waits for the other batches
    // must not miss any.
    if (device_slot.in_flight.fetch_add(1) < device_slot.most_in_flight.load()) {
      device_slot.claims.fetch_add(1);
      return &stream;
    }
    release(stream);
  }
  return nullptr;
}

void Engine::release(Stream& stream) {
  stream.device_slot.in_flight.fetch_sub(1);
  stream.state.store(Stream::idle, std::memory_order_release);
  in_flight_.fetch_sub(1, std::memory_order_release);
}

bool Engine::offload(TaskPool& pool) {
  if (pool.size() == 0) return false;
  Stream* const stream = claim();
  if (stream == nullptr) return false;
  if (!pool.take_batch(stream->device_slot.batch.load(std::memory_order_relaxed), stream->tasks)) {
    release(*stream);
    return false;
  }
  // Other batches on the device, counted before the attempt: they may have released their memory by the time
  // it has failed. Batches that are claimed during the attempt show in `claims`.
  const std::int64_t claims = stream->device_slot.claims.load();
  const int others = stream->device_slot.in_flight.load() - 1;
  stream->number = next_number_.fetch_add(1);
  const trace::Context context(stream->number);
  const trace::Scope scope("enclave batch", stream->number);
  try {
    stream->execution.start(call_on(stream->device_slot), stream->tasks);
    count_submitted(1);
    stream->state.store(Stream::submitted, std::memory_order_release);
  } catch (const gpu::OutOfMemory& error) {
    stream->execution.abandon();
    if (options_.abort_without_memory) {
      release(*stream);
      throw Failure(
          fmt::format("no memory for a batch of {} patches, and the input asks to stop in this case: {}",
                      stream->tasks.size(), error.what()));
    }
    if (others > 0 || stream->device_slot.claims.load() != claims) {
      stream->device_slot.most_in_flight.store(std::max(others, 1));
      deferred_.fetch_add(1);
      pool.put_back(stream->tasks);
      release(*stream);
      return false;
    }
    recover(*stream, error.what(), Fault::out_of_memory);
  } catch (const gpu::DeviceError& error) {
    stream->execution.abandon();
    recover(*stream, error.what(), Fault::device_error);
  }
  return true;
}

}  // namespace meander::offload
