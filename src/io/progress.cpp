// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"

namespace meander::io {

namespace {

constexpr auto live_interval = std::chrono::milliseconds(200);
constexpr auto unpredicted = std::chrono::seconds(2);
constexpr int bar_width = 20;

double seconds(Progress::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string duration_text(double duration) {
  const auto total = static_cast<std::int64_t>(std::llround(std::min(duration, 1e15)));
  const std::int64_t s = total % 60, m = total / 60 % 60, h = total / 3600;
  if (h >= 24) return fmt::format("{} d {:02} h", h / 24, h % 24);
  return h > 0 ? fmt::format("{}:{:02}:{:02}", h, m, s) : fmt::format("{}:{:02}", m, s);
}

std::string progress_line(const ProgressState& state) {
  const Forecast& forecast = state.forecast;
  return fmt::format("step {}  t {:.6g}  dt {:.2e}  {} leaves  {:.1f} M volumes/s{}", state.step, state.t,
                     state.dt, state.leaves, state.volumes_per_second * 1e-6,
                     forecast.seconds < 0
                         ? ""
                         : fmt::format("  {:.0f} %  about {} to {}", std::floor(100 * forecast.fraction),
                                       duration_text(forecast.seconds),
                                       forecast.stopped_by_walltime ? "the end of the wall time" : "go"));
}

Progress::Progress(double t_begin, const RunPosition& start, const RunEnds& ends,
                   double seconds_between_lines)
    : forecaster_(t_begin, start, ends),
      interval_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_between_lines))),
      start_(Clock::now()),
      last_live_(start_),
      start_seconds_(start.seconds),
      current_{start_, start.work},
      last_line_(current_),
      line_before_(current_) {}

Progress::~Progress() {
  log::live_line("");
}

ProgressState Progress::state(Clock::time_point now) {
  // The rate is that of the last one or two intervals, since the mesh may have changed much since the start.
  const double passed = seconds(now - line_before_.when);
  if (passed > 0) state_.volumes_per_second = (current_.work - line_before_.work) / passed;
  state_.forecast = {};
  if (now - start_ < unpredicted) return state_;
  state_.forecast = forecaster_.forecast();
  shown_ = std::max(shown_, state_.forecast.fraction);
  state_.forecast.fraction = shown_;
  return state_;
}

void Progress::step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes) {
  const auto now = Clock::now();
  current_ = {now, current_.work + static_cast<double>(volumes)};
  forecaster_.add({step, t, current_.work, start_seconds_ + seconds(now - start_)});
  state_.step = step;
  state_.t = t;
  state_.dt = dt;
  state_.leaves = leaves;
  const bool live = log::on_terminal();
  if (live && now - last_live_ >= live_interval) {
    const ProgressState current = state(now);
    const int filled = static_cast<int>(current.forecast.fraction * bar_width);
    log::live_line(fmt::format("[{:<{}}] {}", std::string(static_cast<std::size_t>(filled), '#'), bar_width,
                               progress_line(current)));
    last_live_ = now;
  }
  if (now - last_line_.when < interval_) return;
  if (!live) log::info(progress_line(state(now)));
  line_before_ = last_line_;
  last_line_ = current_;
}

}  // namespace meander::io
