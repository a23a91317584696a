// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A timeline of what threads and queues do, to be looked at in Perfetto or chrome://tracing. Off at first,
// and then a scope costs one load. On, it costs two readings of the clock and one store: each thread writes
// to a buffer of its own, without lock.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meander::trace {

namespace detail {
inline std::atomic<bool> enabled{false};
void record(const char* name, std::int64_t begin, std::int64_t value);
}  // namespace detail

inline bool on() {
  return detail::enabled.load(std::memory_order_relaxed);
}
// Scopes that begin from now on are recorded, at most `events_a_row` in each row; later ones are counted
// only.
void start(std::size_t events_a_row = std::size_t{1} << 20);
void stop();
// Forgets all events; rows keep their names. Not while anything is recorded.
void clear();

// Nanoseconds of the clock that all times are given in: monotonic, the same in all processes of a machine.
std::int64_t now();

inline constexpr std::int64_t no_value = INT64_MIN;

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
void record(int row, const char* name, std::int64_t begin, std::int64_t end, std::int64_t value = no_value);

// Events that came after their row was full.
std::size_t dropped();

// All events so far as text to be joined with other processes'; `process` is their number, say the rank. Not
// while anything is recorded.
std::string events(int process, std::string_view process_name);
// The file of Chrome's trace event format with all these. Throws Failure if it cannot be written.
void write(const std::string& path, const std::vector<std::string>& events_of_processes);

}  // namespace meander::trace
