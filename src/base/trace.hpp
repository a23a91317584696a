// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Timeline of threads and queues, for Perfetto or chrome://tracing. Tracing is initially off; a scope then
// costs one load. If tracing is on, a scope costs two clock readings and one store: each thread writes to its
// own buffer without a lock.

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
// Starts recording. Records scopes that begin after this call, at most `events_a_row` per row (32 bytes per
// event); further events are counted, but not stored.
void start(std::size_t events_a_row = default_events_a_row);
void stop();
// Deletes all events; rows keep their names. Must not be called during recording.
void clear();

// Clock of all event times, in nanoseconds: monotonic and common to all processes of a machine.
std::int64_t now();

inline constexpr std::int64_t no_value = INT64_MIN;

// Value of the operation in which the calling thread is engaged, for instance the number of a batch. Queues
// attach it to the operations that the thread submits. Initially no_value.
inline std::int64_t context() {
  return detail::context;
}
// Sets context() until destruction.
class Context {
 public:
  explicit Context(std::int64_t value) : before_(detail::context) { detail::context = value; }
  ~Context() { detail::context = before_; }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  const std::int64_t before_;
};

// Records an event from construction to destruction in the row of the calling thread. `name` must live as
// long as the program; a null name records nothing. `value` is shown with the event, for instance the number
// of a batch or of patches.
class Scope {
 public:
  explicit Scope(const char* name, std::int64_t value = no_value) {
    if (name == nullptr || !on()) return;
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

// Sets the title of the row of the calling thread; the default is "thread n". Rows are ordered by the time at
// which they were named or first used.
void name_thread(std::string_view title);

// Adds a row that belongs to no thread, for events whose times are known only afterwards: a queue of a
// device, a message in transit. Any thread may record to it; recording takes a lock.
int add_row(std::string_view title);
// The first row with that title; added if there is none.
int find_or_add_row(std::string_view title);
void record(int row, const char* name, std::int64_t begin, std::int64_t end, std::int64_t value = no_value);

// Number of events that were not stored because their row was full.
std::size_t dropped();

// All events so far as text. Texts of several processes can be concatenated, and a text can be cut after any
// line. `process` is the number of the process, for instance its rank; times are relative to `origin`. Must
// not be called during recording.
std::string events(int process, std::string_view process_name, std::int64_t origin = 0);

// File in Chrome's trace event format, which Perfetto also reads. All functions throw Failure if the file
// cannot be written.
class Writer {
 public:
  // Creates the file if it does not exist. Contents of an existing trace are kept until the first add() or
  // finish(). Throws Failure if the file exists and is not a trace.
  explicit Writer(const std::string& path);
  // Removes the file if the constructor created it and nothing was written.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // Appends the result of events(), of any process.
  void add(std::string_view events);
  // Completes and closes the file, and stores `note` in it.
  void finish(std::string_view note = {});

 private:
  void check(bool good) const;
  void begin();
  std::string path_;
  bool created_ = false, begun_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace meander::trace
