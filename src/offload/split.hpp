// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Division of the enclaves in the pool between devices and threads. The state does not depend on it.
//
// measured  Devices and threads are to finish at the same time. The last sweeps yield the time of a thread
//           for a patch, the time of a batch in flight, and the patches a second that devices return. Devices
//           get a batch unless the threads will have updated all remaining leaves before it returns. A thread
//           takes a patch unless the devices will have updated all waiting patches before the thread is done.
// fixed     Devices get a given share of the enclaves, in whole batches.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace meander::offload {

struct SplitOptions {
  bool measured = true;
  double share = 1;  // of the enclaves, for devices; ignored if measured
};

// Seconds, smoothed over sweeps; 0: unknown.
struct SplitRates {
  double thread_patch = 0;  // of one thread for a patch
  double device_patch = 0;  // with batches under way, divided by the patches that all devices have returned
  double batch = 0;         // from the start of a batch until it is written back
};

// All functions may be called by any thread; begin() and end() by one thread while no other calls any.
class Split {
 public:
  Split(const SplitOptions& options, int batch, int threads)
      : options_(options), threads_(threads), of_last_(static_cast<std::size_t>(batch)) {}

  // Begins a sweep over `leaves` leaves, enclaves and skeletons.
  void begin(std::size_t leaves);
  // An enclave was put into the pool.
  void put() { put_.fetch_add(1, std::memory_order_relaxed); }
  std::size_t enclaves() const { return put_; }  // of this sweep

  // The tasks of a batch that may go to a device, or 0. They count as sent; sent() corrects that by the number that was sent,
  // which is 0 if there is none, and smaller for devices with little memory.
  std::size_t reserve_batch();
  void sent(std::size_t reserved, std::size_t tasks);
  // Whether a thread may take one of `waiting` tasks, which then counts as taken. Only tasks meant for
  // devices are refused; a thread that knows that devices cannot take them calls force() and takes one.
  bool reserve_patch(std::size_t waiting, std::size_t in_flight);
  void force() { to_threads_.fetch_add(1, std::memory_order_relaxed); }

  // A thread has updated a leaf, enclave or skeleton.
  void updated(double seconds);
  // A patch has returned from a device. `seconds`: time of its batch divided by the patches of the batch.
  void returned(double seconds);
  // Ends the sweep. `seconds`: time during which batches were under way.
  void end(double seconds);

  const SplitRates& rates() const { return rates_; }

 private:
  std::size_t for_devices() const;

  const SplitOptions options_;
  const int threads_;
  SplitRates rates_;
  std::atomic<std::size_t> put_{0}, to_devices_{0}, to_threads_{0};
  std::atomic<std::size_t> of_last_;     // tasks of the last batch that was sent
  std::atomic<std::int64_t> remain_{0};  // leaves whose update has not begun
  std::atomic<double> thread_seconds_{0}, batch_seconds_{0};
  std::atomic<std::int64_t> thread_patches_{0}, device_patches_{0};
};

}  // namespace meander::offload
