// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who updates the enclaves that wait in the pool: devices or threads. Whatever it decides, the state is the
// same.
//
// measured  Both are to be done at the same time. From the last sweeps it is known how long a thread takes
// for
//           a patch, how long a batch is under way, and how many patches a second the devices return. Devices
//           get a batch unless the threads will have done all that is left before it is back; a thread takes
//           a patch unless the devices will have done all that waits before the thread is through with it.
// fixed     The devices get a given share of the enclaves, in whole batches.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace meander::tasks {

struct SplitOptions {
  bool measured = true;
  double share = 1;  // of the enclaves, for devices; unless measured
};

// Seconds, smoothed over sweeps; 0: not known yet.
struct SplitRates {
  double thread_patch = 0;  // that one thread takes for a patch
  double device_patch = 0;  // of devices at work, divided by the patches that all of them have returned
  double batch = 0;         // from the start of a batch until it is back
};

// All functions may be called by any thread, begin() and end() by one while no other is at work.
class Split {
 public:
  Split(const SplitOptions& options, int batch, int threads)
      : options_(options), batch_(static_cast<std::size_t>(batch)), threads_(threads) {}

  // A sweep over so many leaves, enclaves or not.
  void begin(std::size_t leaves);
  // An enclave has come into the pool.
  void put() { put_.fetch_add(1, std::memory_order_relaxed); }
  std::size_t enclaves() const { return put_; }  // that have come in this sweep

  // Whether a batch may go to a device; then it counts as gone until not_taken().
  bool reserve_batch();
  void not_taken();
  // Whether a thread may take one of `waiting` tasks; then it counts as taken. Only what the devices are to
  // get is kept from threads: who sees that they cannot take it takes it with force().
  bool reserve_patch(std::size_t waiting, std::size_t in_flight);
  void force() { to_threads_.fetch_add(1, std::memory_order_relaxed); }

  // A thread has updated a leaf, an enclave or not.
  void updated(double seconds);
  // A patch has come back from a device, `seconds` being its batch's time divided by the batch's patches.
  void landed(double seconds);
  // Of the sweep; `seconds` during which batches were under way.
  void end(double seconds);

  const SplitRates& rates() const { return rates_; }

 private:
  std::size_t for_devices() const;

  const SplitOptions options_;
  const std::size_t batch_;
  const int threads_;
  SplitRates rates_;
  std::atomic<std::size_t> put_{0}, to_devices_{0}, to_threads_{0};
  std::atomic<std::int64_t> remain_{0};  // leaves that nobody has begun
  std::atomic<double> thread_seconds_{0}, batch_seconds_{0};
  std::atomic<std::int64_t> thread_patches_{0}, device_patches_{0};
};

}  // namespace meander::tasks
