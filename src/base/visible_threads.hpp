// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The threads of a ThreadTeam in builds with ThreadSanitizer. TBB, which is not compiled with it, hands tasks
// from thread to thread by atomics that it cannot see: every access of a task would seem a race, or, with
// TBB's frames suppressed, none of them ever would.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace meander {

class VisibleThreads {
 public:
  // threads >= 1, of which the caller of run() is one.
  explicit VisibleThreads(int threads);
  ~VisibleThreads();
  VisibleThreads(const VisibleThreads&) = delete;
  VisibleThreads& operator=(const VisibleThreads&) = delete;

  // As ThreadTeam::run. Within a body, or while another thread runs something, the caller does all parts
  // itself.
  void run(int parts, const std::function<void(int)>& body);

 private:
  class Signal {
   public:
    void give();
    void await();

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool given_ = false;
  };
  // Signals between run() and one thread, and only that one, a way each: a lock in common would order what
  // threads do one after the other, and so hide races between them.
  struct Worker {
    Signal begin, end;
    const std::function<void()>* work = nullptr;  // null to end the thread
    std::thread thread;
  };
  static void serve(Worker& worker);

  std::deque<Worker> workers_;
  std::atomic<bool> busy_ = false;
};

}  // namespace meander
