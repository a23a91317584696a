// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "offload/engine.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"
#include "base/trace.hpp"
#include "offload/device_slot.hpp"

namespace meander::offload {

Engine::Engine(std::vector<std::unique_ptr<gpu::Device>> devices, const Options& options)
    : options_(options) {
  for (auto& device : devices) {
    auto device_slot = std::make_unique<DeviceSlot>();
    gpu::CacheTraits traits = options.cache;
    if (options.pinned_fallback) {
      gpu::CacheTraits spare;
      spare.alignment = traits.alignment;
      spare.trim_after = traits.trim_after;
      device_slot->pinned_spare = std::make_unique<gpu::MemoryCache>(*device, gpu::Space::pinned, spare);
      traits.fallback = gpu::Fallback::resource;
      traits.fallback_resource = device_slot->pinned_spare.get();
    }
    if (device_slots_.size() < options.quotas.size())
      traits.quota = options.quotas[device_slots_.size()].get();
    device_slot->strategy = gpu::make_strategy(options.memory, *device, traits);
    device_slot->device = std::move(device);
    device_slot->batch = static_cast<std::size_t>(options.batch);
    device_slots_.push_back(std::move(device_slot));
  }
  if (options.patches != gpu::Space::host && !device_slots_.empty())
    patch_memory_ = std::make_unique<PatchMemory>(*device_slots_.front()->device, options.patches);
  // Consecutive streams belong to different devices, so that all devices get work.
  for (int queue = 0; queue < options.queues; ++queue) {
    for (const auto& device_slot : device_slots_) {
      streams_.push_back(std::make_unique<Stream>(*device_slot, options.block_kernels));
    }
  }
}

Engine::~Engine() {
  release_step_data();
  for (const auto& device_slot : device_slots_) device_slot->device->destroy_queue(device_slot->step_queue);
  streams_.clear();
  for (const auto& device_slot : device_slots_) device_slot->strategy.reset();
}

void Engine::begin(const UpdateCall& call, Done done, OverlapMeter* messages) {
  call_ = call;
  messages_ = messages;
  done_ = std::move(done);
  release_step_data();
  // Patches are where the engine has placed them, unless the host's memory had to do.
  const bool placed = call.patches == gpu::Space::pinned && options_.patches == gpu::Space::pinned &&
                      patch_memory_ && patch_memory_->stats().fallbacks == 0;
  for (const auto& device_slot : device_slots_) {
    device_slot->most_in_flight = options_.queues;
    device_slot->call = call;
    const gpu::DeviceProperties& properties = device_slot->device->properties();
    // Emulated devices do not know the pinned memory of each other.
    device_slot->call.reads_slots = placed && properties.reads_pinned &&
                                    (device_slot == device_slots_.front() || properties.kind != "host");
  }
}

UpdateCall Engine::call_on(DeviceSlot& device_slot) {
  const auto bytes = call_.solver->step_bytes();
  const std::lock_guard lock(device_slot.call_mutex);
  if (bytes.empty() || device_slot.step_data_sent) return device_slot.call;
  gpu::Device& device = *device_slot.device;
  if (device_slot.step_queue.synchronous()) device_slot.step_queue = device.create_queue();
  const gpu::Queue queue = device_slot.step_queue;
  try {
    if (device_slot.step_data.bytes == 0)
      device_slot.step_data = device_slot.strategy->acquire(queue, bytes.size());
    std::memcpy(device_slot.step_data.host, bytes.data(), bytes.size());
    device_slot.strategy->send(queue, device_slot.step_data, 0, bytes.size());
    device.wait(device.record(queue));
    device_slot.call.step_data = device_slot.step_data.device;
    device_slot.step_data_sent = true;
  } catch (const gpu::OutOfMemory&) {
    // They travel with the batch, which may be small enough.
  } catch (const gpu::DeviceError&) {
    device.settle(gpu::mark(queue));
    try {
      device.synchronize(queue);  // makes the queue fit for the next attempt
    } catch (const gpu::DeviceError&) {
      // The error that is thrown on.
    }
    throw;
  }
  return device_slot.call;
}

// Requires that no batch is in flight.
void Engine::release_step_data() noexcept {
  for (const auto& device_slot : device_slots_) {
    if (device_slot->step_data.bytes > 0)
      device_slot->strategy->release(device_slot->step_queue, device_slot->step_data);
    device_slot->step_data = {};
    device_slot->step_data_sent = false;
    device_slot->call.step_data = nullptr;
  }
}

bool Engine::complete() {
  bool any = false;
  while (Stream* const stream = next_over()) {
    any = true;
    count_submitted(-1);
    try {
      write_back(*stream);
      release(*stream);
    } catch (const gpu::DeviceError& error) {
      stream->execution.abandon();
      recover(*stream, error.what(), Fault::device_error);
    }
  }
  return any;
}

// Claims a stream whose batch is over or has failed. One thread at a time asks the devices, since a question
// takes a lock and a call of the device for each stream; the others go on with their own work.
Engine::Stream* Engine::next_over() {
  if (batches_submitted_.load(std::memory_order_acquire) == 0 || is_polled_.test_and_set()) return nullptr;
  Stream* found = nullptr;
  for (std::size_t i = 0; i < streams_.size() && found == nullptr; ++i) {
    Stream& stream = *streams_[i];
    if (stream.state.load(std::memory_order_relaxed) != Stream::submitted) continue;
    int state = Stream::submitted;
    if (!stream.state.compare_exchange_strong(state, Stream::claimed, std::memory_order_acquire)) continue;
    bool is_over = true;
    try {
      is_over = stream.execution.is_over();
    } catch (const gpu::DeviceError&) {
      // The write-back finds the same error, before it writes anything.
    }
    if (is_over) {
      found = &stream;
    } else {
      stream.state.store(Stream::submitted, std::memory_order_release);
    }
  }
  is_polled_.clear();
  return found;
}

void Engine::count_submitted(int more) {
  const std::lock_guard lock(submitted_mutex_);
  const bool begins = submitted_ == 0;
  submitted_ += more;
  batches_submitted_.store(submitted_, std::memory_order_release);
  if (submitted_ > 0)
    batch_overlap_.begin();
  else
    batch_overlap_.end();
  if (messages_ == nullptr || (submitted_ > 0 && !begins)) return;
  const std::int64_t so_far = messages_->until(steady_nanoseconds());
  if (!begins) messages_->add_batches(so_far - messages_before_);
  messages_before_ = so_far;
}

void Engine::write_back(Stream& stream) {
  const trace::Scope scope("complete batch", stream.number);
  stream.execution.finish();
  const Tasks tasks = stream.execution.tasks();
  const double seconds = stream.execution.seconds() / static_cast<double>(tasks.size());
  batches_.fetch_add(1);
  patches_.fetch_add(static_cast<std::int64_t>(tasks.size()));
  stream.device_slot.failed_in_a_row = 0;
  for (const EnclaveTask& task : tasks) done_(task, seconds);
}

Counts Engine::counts() const {
  return {batches_, patches_, failed_, deferred_, retried_, split_, on_cpu_, given_up_};
}

gpu::Stats Engine::memory() const {
  gpu::Stats all;
  for (const auto& device_slot : device_slots_) all += device_slot->strategy->stats();
  return all;
}

std::size_t Engine::device_bytes() const {
  std::size_t bytes = 0;
  for (const auto& device_slot : device_slots_) bytes += device_slot->strategy->memory().stats().held_bytes;
  return bytes;
}

std::size_t Engine::peak_device_bytes() const {
  std::size_t bytes = 0;
  for (const auto& device_slot : device_slots_) {
    const gpu::Stats stats = device_slot->strategy->memory().stats();
    bytes += std::max(stats.peak_held_bytes, stats.peak_bytes);
  }
  return bytes;
}

void Engine::tend() {
  for (const auto& device_slot : device_slots_) {
    if (device_slot->given_up) continue;
    device_slot->strategy->maintain();
    if (device_slot->pinned_spare) device_slot->pinned_spare->maintain();
  }
}

gpu::Resource& Engine::patch_memory() {
  return patch_memory_ ? static_cast<gpu::Resource&>(*patch_memory_) : gpu::host_memory();
}

void Engine::safepoint() {
  MEANDER_ASSERT(in_flight() == 0 && submitted_ == 0);
  release_step_data();
  for (const auto& stream : streams_) {
    if (!stream->device_slot.device->lost()) stream->execution.settle();
  }
}

}  // namespace meander::offload
