// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/instrumented_threads.hpp"

#include <algorithm>
#include <vector>

namespace meander {

InstrumentedThreads::InstrumentedThreads(int threads)
    : workers_(static_cast<std::size_t>(std::max(1, threads) - 1)) {
  for (Worker& worker : workers_) worker.thread = std::thread(serve, std::ref(worker));
}

InstrumentedThreads::~InstrumentedThreads() {
  for (Worker& worker : workers_) {
    worker.work = nullptr;
    worker.begin.notify();
    worker.thread.join();
  }
}

void InstrumentedThreads::Signal::notify() {
  const std::lock_guard lock(mutex_);
  notified_ = true;
  changed_.notify_one();
}

void InstrumentedThreads::Signal::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return notified_; });
  notified_ = false;
}

void InstrumentedThreads::serve(Worker& worker) {
  while (true) {
    worker.begin.wait();
    if (worker.work == nullptr) return;
    (*worker.work)();
    worker.end.notify();
  }
}

void InstrumentedThreads::run(int parts, const std::function<void(int)>& body) {
  if (busy_.exchange(true)) {
    for (int part = 0; part < parts; ++part) body(part);
    return;
  }
  const auto threads = static_cast<int>(workers_.size()) + 1;
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(threads));
  std::vector<std::function<void()>> shares;
  for (int thread = 0; thread < threads; ++thread) {
    shares.emplace_back([&, thread] {
      try {
        for (int part = thread; part < parts; part += threads) body(part);
      } catch (...) {
        thrown[static_cast<std::size_t>(thread)] = std::current_exception();
      }
    });
  }
  for (std::size_t n = 0; n < workers_.size(); ++n) {
    workers_[n].work = &shares[n + 1];
    workers_[n].begin.notify();
  }
  shares[0]();
  for (Worker& worker : workers_) worker.end.wait();
  busy_ = false;
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace meander
