// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/offload_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/trace.hpp"

namespace meander::tasks {
namespace {

constexpr int hopeless = 3;  // batches in a row of which no patch could be updated

}  // namespace

// A device as the engine uses it.
struct OffloadEngine::Site {
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::MemoryCache> spare;  // pinned, what the strategy falls back to
  std::unique_ptr<gpu::Strategy> strategy;
  std::atomic<int> in_flight{0};
  std::atomic<int> most_in_flight{0};
  std::atomic<std::int64_t> claims{0};  // of its lanes, since the start
  std::atomic<std::size_t> batch{0};
  std::atomic<int> failed_in_a_row{0};
  std::recursive_mutex ladder;  // one batch at a time, so that none takes the memory another waits for
  std::atomic<int> rescued{0};
  std::atomic<bool> given_up{false};
};

// A queue, with one batch at a time.
struct OffloadEngine::Lane {
  enum State : int { idle, handled, flying };
  Site& site;
  Flight flight;
  std::atomic<int> state{idle};
  std::vector<EnclaveTask> tasks;
  std::int64_t number = 0;  // of the batch
  Lane(Site& where, bool block_kernels)
      : site(where), flight(*where.device, *where.strategy, block_kernels) {}
};

OffloadEngine::OffloadEngine(std::vector<std::unique_ptr<gpu::Device>> devices, const OffloadOptions& options)
    : options_(options) {
  for (auto& device : devices) {
    auto site = std::make_unique<Site>();
    gpu::CacheTraits traits = options.cache;
    if (options.pinned_fallback) {
      gpu::CacheTraits spare;
      spare.alignment = traits.alignment;
      spare.trim_after = traits.trim_after;
      site->spare = std::make_unique<gpu::MemoryCache>(*device, gpu::Space::pinned, spare);
      traits.fallback = gpu::Fallback::resource;
      traits.fallback_resource = site->spare.get();
    }
    if (sites_.size() < options.quotas.size()) traits.quota = options.quotas[sites_.size()].get();
    site->strategy = gpu::make_strategy(options.memory, *device, traits);
    site->device = std::move(device);
    site->batch = static_cast<std::size_t>(options.batch);
    sites_.push_back(std::move(site));
  }
  if (options.patches != gpu::Space::host && !sites_.empty())
    patch_memory_ = std::make_unique<PatchMemory>(*sites_.front()->device, options.patches);
  // Neighbouring lanes are of different devices, so that these share the work.
  for (int queue = 0; queue < options.queues; ++queue) {
    for (const auto& site : sites_) {
      lanes_.push_back(std::make_unique<Lane>(*site, options.block_kernels));
    }
  }
}

OffloadEngine::~OffloadEngine() {
  lanes_.clear();
  for (const auto& site : sites_) site->strategy.reset();
}

void OffloadEngine::begin(const UpdateCall& call, Done done, Overlap* messages) {
  call_ = call;
  messages_ = messages;
  done_ = std::move(done);
  for (const auto& site : sites_) site->most_in_flight = options_.queues;
}

OffloadEngine::Lane* OffloadEngine::claim() {
  const std::size_t first = next_lane_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[(first + i) % lanes_.size()];
    Site& site = lane.site;
    if (site.given_up.load(std::memory_order_relaxed)) continue;
    if (site.in_flight.load() >= site.most_in_flight.load()) continue;
    int state = Lane::idle;
    if (!lane.state.compare_exchange_strong(state, Lane::handled, std::memory_order_acquire)) continue;
    in_flight_.fetch_add(1);
    // Once more, so that who lowers the limit and then waits for the others knows of all.
    if (site.in_flight.fetch_add(1) < site.most_in_flight.load()) {
      site.claims.fetch_add(1);
      return &lane;
    }
    free(lane);
  }
  return nullptr;
}

void OffloadEngine::free(Lane& lane) {
  lane.site.in_flight.fetch_sub(1);
  lane.state.store(Lane::idle, std::memory_order_release);
  in_flight_.fetch_sub(1, std::memory_order_release);
}

bool OffloadEngine::offload(TaskPool& pool) {
  if (pool.size() == 0) return false;
  Lane* const lane = claim();
  if (lane == nullptr) return false;
  if (!pool.take_batch(lane->site.batch.load(std::memory_order_relaxed), lane->tasks)) {
    free(*lane);
    return false;
  }
  // Before the attempt: they may have given their memory back by the time it has failed. Those that come
  // while it lasts are told by their claims.
  const std::int64_t claims = lane->site.claims.load();
  const int others = lane->site.in_flight.load() - 1;
  lane->number = next_number_.fetch_add(1);
  const trace::Context context(lane->number);
  const trace::Scope scope("enclave batch", lane->number);
  try {
    lane->flight.start(call_, lane->tasks);
    under_way(1);
    lane->state.store(Lane::flying, std::memory_order_release);
  } catch (const gpu::OutOfMemory& error) {
    lane->flight.abandon();
    if (options_.abort_without_memory) {
      free(*lane);
      throw Failure(
          fmt::format("a batch of {} patches found no memory, without which the run is not to go on: {}",
                      lane->tasks.size(), error.what()));
    }
    if (others > 0 || lane->site.claims.load() != claims) {
      lane->site.most_in_flight.store(std::max(others, 1));
      deferred_.fetch_add(1);
      pool.put_back(lane->tasks);
      free(*lane);
      return false;
    }
    rescue(*lane, error.what(), true);
  } catch (const gpu::DeviceError& error) {
    lane->flight.abandon();
    rescue(*lane, error.what(), false);
  }
  return true;
}

bool OffloadEngine::complete() {
  bool any = false;
  for (const auto& lane : lanes_) {
    if (lane->state.load(std::memory_order_relaxed) != Lane::flying) continue;
    int state = Lane::flying;
    if (!lane->state.compare_exchange_strong(state, Lane::handled, std::memory_order_acquire)) continue;
    bool flies = true;
    try {
      if (!lane->flight.is_over()) {
        lane->state.store(Lane::flying, std::memory_order_release);
        continue;
      }
      under_way(-1);
      flies = false;
      land(*lane);
      free(*lane);
    } catch (const gpu::DeviceError& error) {
      if (flies) under_way(-1);
      lane->flight.abandon();
      rescue(*lane, error.what(), false);
    }
    any = true;
  }
  return any;
}

void OffloadEngine::under_way(int more) {
  const std::lock_guard lock(flying_mutex_);
  const bool begins = flying_ == 0;
  flying_ += more;
  if (flying_ > 0)
    overlap_.begin();
  else
    overlap_.end();
  if (messages_ == nullptr || (flying_ > 0 && !begins)) return;
  const std::int64_t so_far = messages_->until(steady_nanoseconds());
  if (!begins) messages_->add_batches(so_far - messages_before_);
  messages_before_ = so_far;
}

void OffloadEngine::land(Lane& lane) {
  const trace::Scope scope("land batch", lane.number);
  lane.flight.land();
  const Tasks tasks = lane.flight.tasks();
  const double seconds = lane.flight.seconds() / static_cast<double>(tasks.size());
  batches_.fetch_add(1);
  patches_.fetch_add(static_cast<std::int64_t>(tasks.size()));
  lane.site.failed_in_a_row = 0;
  for (const EnclaveTask& task : tasks) done_(task, seconds);
}

void OffloadEngine::rescue(Lane& lane, const std::string& reason, bool out_of_memory) {
  Site& site = lane.site;
  failed_.fetch_add(1);
  warn_once(site, reason, lane.tasks.size());
  bool any = false;
  site.rescued.fetch_add(1);
  {
    const std::lock_guard lock(site.ladder);
    if (out_of_memory) wait_for_others(site);
    any = climb(lane, lane.tasks, true, out_of_memory);
  }
  site.rescued.fetch_sub(1);
  if (site.device->lost() || (!any && site.failed_in_a_row.fetch_add(1) + 1 >= hopeless)) give_up(site);
  free(lane);
}

// What they complete may have to be rescued itself: hence the recursion.
void OffloadEngine::wait_for_others(Site& site) {
  site.most_in_flight.store(1);
  while (site.in_flight.load() > site.rescued.load()) {
    if (!complete()) std::this_thread::yield();
  }
}

// True if at least one patch was updated on the device.
bool OffloadEngine::climb(Lane& lane, Tasks tasks, bool retry, bool out_of_memory) {
  Site& site = lane.site;
  if (retry && !site.device->lost()) {
    site.strategy->trim();
    retried_.fetch_add(1);
    if (attempt(lane, tasks, out_of_memory)) return true;
  }
  if (tasks.size() == 1 || site.device->lost()) {
    update_on_cpu(tasks);
    return false;
  }
  split_.fetch_add(1);
  const std::size_t half = tasks.size() / 2;
  if (out_of_memory) site.batch = std::min(site.batch.load(), half);
  bool any = false;
  for (const Tasks part : {tasks.first(half), tasks.subspan(half)}) {
    bool again = out_of_memory;
    any |= attempt(lane, part, again) || climb(lane, part, false, again);
  }
  return any;
}

bool OffloadEngine::attempt(Lane& lane, Tasks tasks, bool& out_of_memory) {
  try {
    lane.flight.start(call_, tasks);
    land(lane);
    return true;
  } catch (const gpu::OutOfMemory&) {
    out_of_memory = true;
  } catch (const gpu::DeviceError&) {
    out_of_memory = false;
  }
  lane.flight.abandon();
  return false;
}

void OffloadEngine::update_on_cpu(Tasks tasks) {
  on_cpu_.fetch_add(static_cast<std::int64_t>(tasks.size()));
  for (const EnclaveTask& task : tasks) {
    const auto start = std::chrono::steady_clock::now();
    call_.solver->update({task.patch, 1}, call_.layout, call_.stage, call_.t, call_.dt, {task.status, 1});
    done_(task, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

void OffloadEngine::give_up(Site& site) {
  if (!site.given_up.exchange(true)) given_up_.fetch_add(1);
}

void OffloadEngine::warn_once(const Site& site, const std::string& reason, std::size_t patches) {
  if (warned_.exchange(true)) return;
  log::warning(fmt::format(
      "a batch of {} patches failed on {} ({}); what fails is done again, in the end on the CPU; the "
      "summary counts how often",
      patches, site.device->properties().name, reason));
}

OffloadCounts OffloadEngine::counts() const {
  return {batches_, patches_, failed_, deferred_, retried_, split_, on_cpu_, given_up_};
}

gpu::Stats OffloadEngine::memory() const {
  gpu::Stats all;
  for (const auto& site : sites_) all += site->strategy->stats();
  return all;
}

std::size_t OffloadEngine::device_bytes() const {
  std::size_t bytes = 0;
  for (const auto& site : sites_) bytes += site->strategy->memory().stats().held_bytes;
  return bytes;
}

std::size_t OffloadEngine::peak_device_bytes() const {
  std::size_t bytes = 0;
  for (const auto& site : sites_) {
    const gpu::Stats stats = site->strategy->memory().stats();
    bytes += std::max(stats.peak_held_bytes, stats.peak_bytes);
  }
  return bytes;
}

void OffloadEngine::tend() {
  for (const auto& site : sites_) {
    if (site->given_up) continue;
    site->strategy->maintain();
    if (site->spare) site->spare->maintain();
  }
}

gpu::Resource& OffloadEngine::patch_memory() {
  return patch_memory_ ? static_cast<gpu::Resource&>(*patch_memory_) : gpu::host_memory();
}

void OffloadEngine::safepoint() {
  MEANDER_ASSERT(in_flight() == 0 && flying_ == 0);
  for (const auto& lane : lanes_) {
    if (!lane->site.device->lost()) lane->flight.rest();
  }
}

}  // namespace meander::tasks
