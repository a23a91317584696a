// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/printable.hpp"

namespace meander::log {

namespace {

// spdlog's sink and the live line. A message erases the live line first and redraws it afterwards.
class Console {
 public:
  Console() : logger_("meander", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>()) {
    logger_.set_pattern(terminal_ ? "%^%H:%M:%S %L%$ %v" : "%Y-%m-%d %H:%M:%S %L %v");
  }

  void set_level(spdlog::level::level_enum level) { logger_.set_level(level); }
  void set_prefix(std::string_view prefix) {
    const std::lock_guard lock(mutex_);
    prefix_ = prefix;
  }
  bool on_terminal() const { return terminal_; }

  void message(spdlog::level::level_enum level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    erase();
    const std::string whole = prefix_ + printable(text);
    if (level == spdlog::level::warn && warnings_.size() < most_warnings &&
        std::ranges::find(warnings_, whole) == warnings_.end())
      warnings_.push_back(whole);
    logger_.log(level, spdlog::string_view_t(whole.data(), whole.size()));
    draw();
  }

  std::vector<std::string> warnings() {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

  void live_line(std::string_view text) {
    if (!terminal_) return;
    const std::lock_guard lock(mutex_);
    erase();
    live_ = text;
    draw();
  }

 private:
  void erase() {
    if (!live_.empty()) std::fputs("\r\033[K", stderr);
  }
  // Truncates the line to the width of the terminal: a wrapped line could not be erased.
  void draw() {
    if (live_.empty()) return;
    winsize size{};
    const std::size_t width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
    std::fwrite(live_.data(), 1, std::min(live_.size(), width), stderr);
    std::fflush(stderr);
  }

  static constexpr std::size_t most_warnings = 100;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::mutex mutex_;
  spdlog::logger logger_;
  std::string live_, prefix_;
  std::vector<std::string> warnings_;
};

Console& console() {
  static Console instance;
  return instance;
}

}  // namespace

void set_level(Level level) {
  constexpr spdlog::level::level_enum levels[] = {
      spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err, spdlog::level::off};
  console().set_level(levels[static_cast<int>(level)]);
}

std::vector<std::string> warnings() {
  return console().warnings();
}

void set_prefix(std::string_view prefix) {
  console().set_prefix(prefix);
}

void debug(std::string_view message) {
  console().message(spdlog::level::debug, message);
}
void info(std::string_view message) {
  console().message(spdlog::level::info, message);
}
void warning(std::string_view message) {
  console().message(spdlog::level::warn, message);
}
void error(std::string_view message) {
  console().message(spdlog::level::err, message);
}

bool on_terminal() {
  return console().on_terminal();
}
void live_line(std::string_view text) {
  console().live_line(text);
}

}  // namespace meander::log
