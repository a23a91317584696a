// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "offload/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/trace.hpp"
#include "offload/batch_execution.hpp"

namespace meander::offload {

// The state of the offload engine for each device and each of its queues.

// A device with its memory.
struct Engine::DeviceSlot {
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::MemoryCache> pinned_spare;  // the strategy takes memory from it if the device has none
  std::unique_ptr<gpu::Strategy> strategy;
  std::atomic<int> in_flight{0};  // batches
  std::atomic<int> most_in_flight{0};
  std::atomic<std::int64_t> claims{0};  // of its streams, since the start
  std::atomic<std::size_t> batch{0};    // patches
  std::atomic<int> failed_in_a_row{0};
  std::recursive_mutex
      ladder;  // one recovery at a time, so that none takes the memory that another waits for
  std::atomic<int> recovering{0};
  std::atomic<bool> given_up{false};

  // The call of the sweep, as batches on this device take it. Step data are sent by the first of them.
  std::mutex call_mutex;
  UpdateCall call;
  gpu::Buffer step_data;
  gpu::Queue step_queue;
  bool step_data_sent = false;
};

// A queue of a device, with at most one batch.
struct Engine::Stream {
  // Claimed: one thread submits, writes back or recovers a batch.
  enum State : int { idle, claimed, submitted };
  DeviceSlot& device_slot;
  BatchExecution execution;
  std::atomic<int> state{idle};
  std::vector<EnclaveTask> tasks;
  std::int64_t number = 0;  // of the batch
  Stream(DeviceSlot& of, bool block_kernels)
      : device_slot(of), execution(*of.device, *of.strategy, block_kernels) {}
};

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
  return complete(nullptr);
}

bool Engine::complete(const DeviceSlot* of) {
  bool any = false;
  while (Stream* const stream = next_over(of)) {
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

// Claims a stream, of a device or of any, whose batch is over or has failed. One thread at a time asks the devices, since a question
// takes a lock and a call of the device for each stream; the others go on with their own work.
Engine::Stream* Engine::next_over(const DeviceSlot* of) {
  if (batches_submitted_.load(std::memory_order_acquire) == 0 || is_polled_.test_and_set()) return nullptr;
  Stream* found = nullptr;
  for (std::size_t i = 0; i < streams_.size() && found == nullptr; ++i) {
    Stream& stream = *streams_[i];
    if (of != nullptr && of != &stream.device_slot) continue;
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

// Where a batch is formed: a free stream of a device is claimed, a batch of tasks leaves the pool, and is
// submitted.

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

std::size_t Engine::offload(TaskPool& pool) {
  if (pool.size() == 0) return 0;
  Stream* const stream = claim();
  if (stream == nullptr) return 0;
  if (!pool.take_batch(stream->device_slot.batch.load(std::memory_order_relaxed), stream->tasks)) {
    release(*stream);
    return 0;
  }
  const std::size_t tasks = stream->tasks.size();
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
      return 0;
    }
    recover(*stream, error.what(), Fault::out_of_memory);
  } catch (const gpu::DeviceError& error) {
    stream->execution.abandon();
    recover(*stream, error.what(), Fault::device_error);
  }
  return tasks;
}

// Recovery of a failed batch: the ladder of engine.hpp.

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

// The batches that it completes may require recovery themselves: hence the recursive mutex, and those of this device only, since a
// thread that holds the mutex of another device may wait for this one.
void Engine::wait_for_others(DeviceSlot& device_slot) {
  device_slot.most_in_flight.store(1);
  while (device_slot.in_flight.load() > device_slot.recovering.load()) {
    if (!complete(&device_slot)) std::this_thread::yield();
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
