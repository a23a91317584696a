// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threads of a ThreadTeam in builds with ThreadSanitizer, which sees their synchronisation. TBB is not
// compiled with ThreadSanitizer and passes tasks between threads by atomics that the sanitizer cannot see: it
// would report every access of a task as a race, or, with TBB's frames suppressed, no race at all.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace meander {

class InstrumentedThreads {
 public:
  // threads >= 1, including the caller of run().
  explicit InstrumentedThreads(int threads);
  ~InstrumentedThreads();
  InstrumentedThreads(const InstrumentedThreads&) = delete;
  InstrumentedThreads& operator=(const InstrumentedThreads&) = delete;

  // Same contract as ThreadTeam::run. A nested call, or a call while another thread is inside run(), executes
  // all parts on the calling thread.
  void run(int parts, const std::function<void(int)>& body);

 private:
  class Signal {
   public:
    void notify();
    void wait();

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool notified_ = false;
  };
  // One pair of signals per worker: a lock shared by several workers would order their accesses and thereby
  // hide races between them.
  struct Worker {
    Signal begin, end;
    const std::function<void()>* work = nullptr;  // null ends the thread
    std::thread thread;
  };
  static void serve(Worker& worker);

  std::deque<Worker> workers_;
  std::atomic<bool> busy_ = false;
};

}  // namespace meander
