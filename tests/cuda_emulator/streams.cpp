// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <set>
#include <thread>

#include "settings.hpp"

namespace cuda_emulator {
namespace {

struct OperationName {
  int stream;
  std::uint64_t number;
  const char* what;
};

// Of the process, and never destroyed: the executor outlives main().
struct Runtime {
  std::mutex mutex;
  std::condition_variable changed, work;
  std::vector<std::unique_ptr<Stream>> streams;
  std::multiset<int> demanded;  // streams that somebody waits for
  Clock observed;
  long budget = 0;  // operations that run though nobody waits
  cudaError_t sticky = cudaSuccess;
  std::deque<OperationName> names{1};  // by id
  std::mt19937_64 random_bits{settings().seed};
};
Runtime& runtime() {
  static auto& all = *new Runtime;
  return all;
}

thread_local const Operation* now = nullptr;
thread_local std::uint64_t known_as_ordered = 0;

bool can_run(const Operation& operation) {
  return std::all_of(operation.waits_for.begin(), operation.waits_for.end(),
                     [](const auto& wait) { return stream(wait.first).done >= wait.second; });
}

// The demanded streams and those for which the first operations of these wait.
std::set<int> needed_streams() {
  std::set<int> needed(runtime().demanded.begin(), runtime().demanded.end());
  for (bool grown = true; grown;) {
    grown = false;
    for (const int index : std::vector<int>(needed.begin(), needed.end())) {
      if (stream(index).pending.empty()) continue;
      for (const auto& [other, number] : stream(index).pending.front().waits_for)
        if (stream(other).done < number && needed.insert(other).second) grown = true;
    }
  }
  return needed;
}

// The stream whose first operation is next; null if none can run.
Stream* choose() {
  std::vector<Stream*> ready, preferred;
  const std::set<int> needed = needed_streams();
  for (const auto& each : runtime().streams) {
    if (each->pending.empty() || !can_run(each->pending.front())) continue;
    ready.push_back(each.get());
    if (needed.count(each->index)) preferred.push_back(each.get());
  }
  if (ready.empty()) return nullptr;
  auto& from = !preferred.empty() && random_bits()() % 3 != 0 ? preferred : ready;
  return from[random_bits()() % from.size()];
}

void execute() {
  Runtime& r = runtime();
  std::unique_lock lock(r.mutex);
  for (;;) {
    Stream* chosen = choose();
    if (!chosen) {
      r.budget = 0;
      r.work.wait(lock);
      continue;
    }
    if (r.demanded.empty() && r.budget == 0 &&
        r.work.wait_for(lock, std::chrono::milliseconds(30)) == std::cv_status::no_timeout)
      continue;  // a device goes on by itself, sometime
    if (r.budget > 0) --r.budget;
    Operation operation = std::move(chosen->pending.front());
    chosen->pending.pop_front();
    const bool runs = r.sticky == cudaSuccess && operation.run;
    lock.unlock();
    if (runs) {
      now = &operation;
      known_as_ordered = 0;
      operation.run(operation);
      now = nullptr;
    }
    operation.run = nullptr;
    lock.lock();
    chosen->done = operation.number;
    r.changed.notify_all();
  }
}

}  // namespace

void join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

std::mutex& runtime_mutex() {
  return runtime().mutex;
}
std::mt19937_64& random_bits() {
  return runtime().random_bits;
}

int new_stream(int device, bool blocking) {
  auto made = std::make_unique<Stream>();
  made->index = number_of_streams();
  made->device = device;
  made->blocking = blocking;
  runtime().streams.push_back(std::move(made));
  return number_of_streams() - 1;
}
Stream& stream(int index) {
  return *runtime().streams[static_cast<std::size_t>(index)];
}
int number_of_streams() {
  return static_cast<int>(runtime().streams.size());
}

void start_streams() {
  for (int device = 0; device < settings().devices; ++device) new_stream(device, true);
  std::thread(execute).detach();
}

std::uint64_t enqueue(Stream& on, const char* what, std::function<void(Operation&)> run,
                      std::vector<std::pair<int, std::uint64_t>> waits_for, const Clock* more) {
  Runtime& r = runtime();
  Operation operation;
  operation.number = ++on.enqueued;
  operation.id = r.names.size();
  operation.what = what;
  operation.waits_for = std::move(waits_for);
  operation.run = std::move(run);
  const auto wait_for = [&](const Stream& other) {
    if (other.done == other.enqueued) return;
    operation.waits_for.emplace_back(other.index, other.enqueued);
    join(on.clock, other.clock);
  };
  // A default stream and the blocking streams of its device wait for each other.
  if (on.index < settings().devices) {
    for (const auto& other : r.streams)
      if (other.get() != &on && other->blocking && other->device == on.device) wait_for(*other);
  } else if (on.blocking) {
    wait_for(stream(on.device));
  }
  join(on.clock, r.observed);
  if (more) join(on.clock, *more);
  const auto index = static_cast<std::size_t>(on.index);
  if (on.clock.size() <= index) on.clock.resize(index + 1, 0);
  on.clock[index] = operation.number;
  if (settings().checks) operation.clock = on.clock;
  r.names.push_back({on.index, operation.number, what});
  on.pending.push_back(std::move(operation));
  r.work.notify_one();
  return on.enqueued;
}

void wait_until(std::unique_lock<std::mutex>& lock, Stream& on, std::uint64_t number) {
  Runtime& r = runtime();
  if (on.done >= number) return;
  const auto demand = r.demanded.insert(on.index);
  r.work.notify_one();
  r.changed.wait(lock, [&] { return on.done >= number; });
  r.demanded.erase(demand);
}

void observe(const Clock& clock) {
  join(runtime().observed, clock);
}

void drain(std::unique_lock<std::mutex>& lock, int device) {
  for (int i = 0; i < number_of_streams(); ++i) {
    if (stream(i).device != device) continue;
    wait_until(lock, stream(i), stream(i).enqueued);
    observe(stream(i).clock);
  }
}

void ask() {
  runtime().budget += static_cast<long>(random_bits()() % 2);
  runtime().work.notify_one();
}

cudaError_t sticky_error() {
  return runtime().sticky;
}
void set_sticky_error(cudaError_t error) {
  runtime().sticky = error;
}

const Operation* operation_now() {
  return now;
}

bool is_ordered(std::uint64_t id) {
  if (!now || id == known_as_ordered || id == now->id || id == 0) return true;
  const std::lock_guard lock(runtime_mutex());
  const OperationName& other = runtime().names[id];
  const auto index = static_cast<std::size_t>(other.stream);
  const bool ordered = index < now->clock.size() && now->clock[index] >= other.number;
  if (ordered) known_as_ordered = id;
  return ordered;
}

const char* what_operation(std::uint64_t id) {
  const std::lock_guard lock(runtime_mutex());
  return runtime().names[id].what;
}

}  // namespace cuda_emulator
