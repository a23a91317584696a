// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Enclave tasks that wait for a device or for a thread without other work: first in, first out, so that
// batches follow the curve.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::offload {

// The update of one patch, and the address of its status. Both outlive the task.
struct EnclaveTask {
  const solvers::PatchTask* patch = nullptr;
  solvers::PatchStatus* status = nullptr;
  std::int32_t order_index = 0;  // of the leaf in order() of the mesh; tests use other numbers
};

// All functions may be called by any thread.
class TaskPool {
 public:
  void put(const EnclaveTask& task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(task);
  }
  // Ahead of all others: for tasks that were taken but could not be started.
  void put_back(std::span<const EnclaveTask> tasks) {
    const std::lock_guard lock(mutex_);
    tasks_.insert(tasks_.begin(), tasks.begin(), tasks.end());
  }
  std::optional<EnclaveTask> take() {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    const EnclaveTask task = tasks_.front();
    tasks_.pop_front();
    return task;
  }
  // Forms a batch of exactly `count` tasks. Returns false, and takes none, if the pool holds fewer.
  bool take_batch(std::size_t count, std::vector<EnclaveTask>& batch) {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() < count) return false;
    const auto end = tasks_.begin() + static_cast<std::ptrdiff_t>(count);
    batch.assign(tasks_.begin(), end);
    tasks_.erase(tasks_.begin(), end);
    return true;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<EnclaveTask> tasks_;
};

}  // namespace meander::offload
