// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Streams are queues that one thread works off as late as it may: when somebody waits or asks, else an operation every 30 ms,
// in random order between streams. Each operation has a vector clock, by which unordered accesses of two are found. What says
// "locked" needs runtime_mutex().
#pragma once
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace cuda_emulator {

// The number of operations of each stream that are known to be done.
using Clock = std::vector<std::uint64_t>;
void join(Clock& into, const Clock& other);

struct Operation {
  std::uint64_t number = 0;  // in its stream
  std::uint64_t id = 0;      // in the process
  const char* what = "";
  std::vector<std::pair<int, std::uint64_t>> waits_for;  // streams and numbers
  Clock clock;
  std::function<void(Operation&)> run;
};

struct Stream {
  int index = 0, device = 0;
  bool blocking = true;  // waits for the default stream, and that for it
  bool destroyed = false;
  std::uint64_t enqueued = 0, done = 0;
  Clock clock;
  std::deque<Operation> pending;
};

struct Event {
  int device = 0, stream = 0;
  bool recorded = false;
  std::uint64_t number = 0;
  Clock clock;
  std::chrono::steady_clock::time_point when;
};

std::mutex& runtime_mutex();

// Streams; locked. The first ones are the default streams of the devices.
int new_stream(int device, bool blocking);
Stream& stream(int index);
int number_of_streams();
// Starts the thread of the executor and the default streams; locked.
void start_streams();

// Locked. `more`: further operations that come before this one.
std::uint64_t enqueue(Stream& on, const char* what, std::function<void(Operation&)> run,
                      std::vector<std::pair<int, std::uint64_t>> waits_for = {}, const Clock* more = nullptr);
// Waits, without the lock, until an operation of a stream is done.
void wait_until(std::unique_lock<std::mutex>& lock, Stream& on, std::uint64_t number);
// The host knows that these operations are done; locked.
void observe(const Clock& clock);
// Waits for all of a device; locked.
void drain(std::unique_lock<std::mutex>& lock, int device);
// Somebody asks whether work is done: now and then, this makes some; locked.
void ask();

// The error that no call gets past, once set; locked.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);

// Of the executor's thread, which runs operations without the lock.
const Operation* operation_now();
// Whether an operation comes before that of now, or there is none.
bool is_ordered(std::uint64_t id);
const char* what_operation(std::uint64_t id);
std::mt19937_64& random_bits();

}  // namespace cuda_emulator
