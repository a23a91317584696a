// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A timeline of what threads and queues do, to be looked at in Perfetto or chrome://tracing. Off at first,
// and then a scope costs one load. On, it costs two readings of the clock and one store: each thread writes
// to a buffer of its own, without lock.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace meander::trace {

namespace detail {
inline std::atomic<bool> enabled{false};
inline thread_local std::int64_t context = INT64_MIN;
void record(const char* name, std::int64_t begin, std::int64_t value);
}  // namespace detail

inline bool on() {
  return detail::enabled.load(std::memory_order_relaxed);
}
inline constexpr std::size_t default_events_a_row = std::size_t{1} << 16;
// Scopes that begin from now on are recorded, at most `events_a_row` in each row (of 32 bytes each); later
// ones are counted only.
void start(std::size_t events_a_row = default_events_a_row);
void stop();
// Forgets all events; rows keep their names. Not while anything is recorded.
void clear();

// Nanoseconds of the clock that all times are given in: monotonic, the same in all processes of a machine.
std::int64_t now();

inline constexpr std::int64_t no_value = INT64_MIN;

// What the calling thread is at work on, say a batch's number: queues show it beside what is submitted to
// them meanwhile. no_value at first.
inline std::int64_t context() {
  return detail::context;
}
class Context {
 public:
  explicit Context(std::int64_t value) : before_(detail::context) { detail::context = value; }
  ~Context() { detail::context = before_; }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  const std::int64_t before_;
};

// From construction to destruction, in the calling thread's row. `name` must live as long as the program; the
// value is shown beside it: a batch's number, a number of patches.
class Scope {
 public:
  explicit Scope(const char* name, std::int64_t value = no_value) {
    if (!on()) return;
    name_ = name;
    value_ = value;
    begin_ = now();
  }
  ~Scope() {
    if (name_ != nullptr) detail::record(name_, begin_, value_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const char* name_ = nullptr;
  std::int64_t begin_ = 0, value_ = 0;
};

// The title of the calling thread's row; "thread n" otherwise. Rows come in the order in which they were
// named or first used.
void name_thread(std::string_view title);

// A row that is no thread's, for things whose times are learnt afterwards: a queue of a device, a message on
// its way. Any thread may record there; with a lock.
int add_row(std::string_view title);
// The first row of that title, made if there is none.
int row_called(std::string_view title);
void record(int row, const char* name, std::int64_t begin, std::int64_t end, std::int64_t value = no_value);

// Events that came after their row was full.
std::size_t dropped();

// All events so far as text to be joined with other processes', which may be cut behind any line; `process`
// is their number, say the rank, and times count from `origin`. Not while anything is recorded.
std::string events(int process, std::string_view process_name, std::int64_t origin = 0);

// A file of Chrome's trace event format, which Perfetto reads too. Its functions throw Failure if it cannot
// be written.
class Writer {
 public:
  // Makes the file, but leaves what is in it until there are events. Refuses one that holds something else
  // than a trace.
  explicit Writer(const std::string& path);
  // Without events, no file is left that was not there before.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // What events() gave, of any process.
  void add(std::string_view events);
  // Ends the file; `note` is kept in it.
  void finish(std::string_view note = {});

 private:
  void check(bool good) const;
  void begin();
  std::string path_;
  bool created_ = false, begun_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace meander::trace
