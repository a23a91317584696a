// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace meander::trace {

namespace {

constexpr std::string_view head = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

struct Event {
  const char* name;
  std::int64_t begin, end, value;
};

// Grows by blocks of fixed size, so that stored events do not move.
class Row {
 public:
  explicit Row(std::string title) : title_(std::move(title)) {}

  void add(const Event& event, std::size_t limit) {
    const std::size_t number = count_.load(std::memory_order_relaxed);
    if (number >= limit) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (number / piece == pieces_.size()) pieces_.push_back(std::make_unique<Piece>());
    (*pieces_[number / piece])[number % piece] = event;
    count_.store(number + 1, std::memory_order_release);
  }

  template <class Function>
  void for_each(Function function) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) function((*pieces_[i / piece])[i % piece]);
  }
  void clear() {
    count_.store(0);
    dropped_.store(0);
    pieces_.clear();
  }
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::size_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  const std::string& title() const { return title_; }
  void set_title(std::string_view title) { title_ = title; }
  std::mutex& mutex() { return mutex_; }

 private:
  static constexpr std::size_t piece = 4096;
  using Piece = std::array<Event, piece>;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::atomic<std::size_t> count_{0}, dropped_{0};
  std::string title_;
  std::mutex mutex_;  // used for rows that belong to no thread
};

struct Rows {
  std::mutex mutex;
  std::vector<std::unique_ptr<Row>> all;
  std::size_t threads = 1;  // number of the next untitled thread; the main thread is number 0
  std::atomic<std::size_t> limit{0};

  Row& add(std::string title) {
    all.push_back(std::make_unique<Row>(std::move(title)));
    return *all.back();
  }
};

// Never destroyed, because threads may end after main has returned.
Rows& rows() {
  static auto* instance = new Rows;
  return *instance;
}

Row& row_of_thread(std::string_view title = {}) {
  static thread_local Row* row = nullptr;
  if (row == nullptr || !title.empty()) {
    const std::lock_guard lock(rows().mutex);
    if (row == nullptr)
      row = &rows().add(title.empty() ? fmt::format("thread {}", rows().threads++) : std::string(title));
    if (!title.empty()) row->set_title(title);
  }
  return *row;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (code < 0x20) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += letter;
    }
  }
  return result + '"';
}

}  // namespace

std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void start(std::size_t events_a_row) {
  rows().limit.store(events_a_row);
  detail::enabled.store(true);
}

void stop() {
  detail::enabled.store(false);
}

void clear() {
  const std::lock_guard lock(rows().mutex);
  for (const auto& row : rows().all) row->clear();
}

void detail::record(const char* name, std::int64_t begin, std::int64_t value) {
  row_of_thread().add({name, begin, now(), value}, rows().limit.load(std::memory_order_relaxed));
}

void name_thread(std::string_view title) {
  row_of_thread(title);
}

int add_row(std::string_view title) {
  const std::lock_guard lock(rows().mutex);
  rows().add(std::string(title));
  return static_cast<int>(rows().all.size()) - 1;
}

int find_or_add_row(std::string_view title) {
  const std::lock_guard lock(rows().mutex);
  auto& all = rows().all;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (all[row]->title() == title) return static_cast<int>(row);
  }
  rows().add(std::string(title));
  return static_cast<int>(all.size()) - 1;
}

void record(int row, const char* name, std::int64_t begin, std::int64_t end, std::int64_t value) {
  if (!on()) return;
  Row* target = nullptr;
  {
    const std::lock_guard lock(rows().mutex);
    target = rows().all[static_cast<std::size_t>(row)].get();
  }
  const std::lock_guard lock(target->mutex());
  target->add({name, begin, end, value}, rows().limit.load(std::memory_order_relaxed));
}

std::size_t dropped() {
  const std::lock_guard lock(rows().mutex);
  std::size_t total = 0;
  for (const auto& row : rows().all) total += row->dropped();
  return total;
}

std::string events(int process, std::string_view process_name, std::int64_t origin) {
  const std::lock_guard lock(rows().mutex);
  std::string text;
  const auto meta = [&](const char* what, std::size_t row, const std::string& arguments) {
    text += fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}}},\n", what,
                        process, row, arguments);
  };
  meta("process_name", 0, "\"name\":" + json_string(process_name));
  meta("process_sort_index", 0, fmt::format("\"sort_index\":{}", process));
  for (std::size_t number = 0; number < rows().all.size(); ++number) {
    const Row& row = *rows().all[number];
    if (row.empty()) continue;
    meta("thread_name", number, "\"name\":" + json_string(row.title()));
    meta("thread_sort_index", number, fmt::format("\"sort_index\":{}", number));
    row.for_each([&](const Event& event) {
      const std::int64_t begin = std::max(event.begin - origin, std::int64_t{0});
      const std::int64_t lasted = std::max(event.end - origin, begin) - begin;
      // Microseconds with three decimals, printed as integers: 18 digits exceed the precision of a double.
      text += fmt::format("{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"dur\":{}.{:03}",
                          json_string(event.name), process, number, begin / 1000, begin % 1000, lasted / 1000,
                          lasted % 1000);
      if (event.value != no_value) text += fmt::format(",\"args\":{{\"value\":{}}}", event.value);
      text += "},\n";
    });
  }
  return text;
}

Writer::Writer(const std::string& path) : path_(path) {
  struct stat status {};
  created_ = ::stat(path.c_str(), &status) != 0;
  if (!created_ && S_ISREG(status.st_mode) && status.st_size > 0) {
    std::string begin(head.size(), ' ');
    std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin != head) throw Failure(fmt::format("{}: exists and holds no trace; choose another file", path));
  }
  file_ = std::fopen(path.c_str(), "a");
  check(file_ != nullptr);
}

Writer::~Writer() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!begun_ && created_) ::unlink(path_.c_str());
}

void Writer::begin() {
  if (std::exchange(begun_, true)) return;
  struct stat status {};
  check(::fstat(::fileno(file_), &status) == 0);
  if (S_ISREG(status.st_mode)) check(::ftruncate(::fileno(file_), 0) == 0);
  check(std::fwrite(head.data(), 1, head.size(), file_) == head.size());
}

void Writer::check(bool good) const {
  if (!good) throw Failure(fmt::format("cannot write the trace {}: {}", path_, std::strerror(errno)));
}

void Writer::add(std::string_view events) {
  begin();
  check(std::fwrite(events.data(), 1, events.size(), file_) == events.size());
}

void Writer::finish(std::string_view note) {
  begin();
  // The last event of the list: all others are followed by a comma.
  check(std::fputs("{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0,\"tid\":0,\"args\":{}}\n]", file_) >= 0);
  if (!note.empty()) {
    check(std::fputs(fmt::format(",\"otherData\":{{\"note\":{}}}", json_string(note)).c_str(), file_) >= 0);
  }
  check(std::fputs("}\n", file_) >= 0);
  check(std::fclose(std::exchange(file_, nullptr)) == 0);
}

}  // namespace meander::trace
