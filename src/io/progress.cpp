// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/log.hpp"

namespace meander::io {

namespace {

constexpr auto live_interval = std::chrono::milliseconds(200);
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
  return fmt::format("step {}  t {:.6g}  dt {:.2e}  {} leaves  {:.1f} M volumes/s  {:.0f} %{}", state.step,
                     state.t, state.dt, state.leaves, state.volumes_per_second * 1e-6,
                     std::floor(100 * state.fraction),
                     state.eta < 0 ? "" : fmt::format("  {} to go", duration_text(state.eta)));
}

Progress::Progress(double t_start, double t_end, std::int64_t max_steps, double seconds_between_lines)
    : t_end_(t_end),
      max_steps_(max_steps),
      interval_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_between_lines))),
      current_{.when = Clock::now(), .t = t_start},
      last_line_(current_),
      line_before_(current_),
      start_(current_.when),
      last_live_(current_.when) {}

Progress::~Progress() {
  log::live_line("");
}

ProgressState Progress::state(Clock::time_point now) const {
  ProgressState state;
  state.step = current_.step;
  state.t = current_.t;
  state.dt = dt_;
  state.leaves = leaves_;
  const double window = seconds(now - line_before_.when);
  if (window <= 0) return state;
  state.volumes_per_second = static_cast<double>(current_.volumes - line_before_.volumes) / window;
  double eta = std::numeric_limits<double>::infinity();
  if (current_.t > line_before_.t) eta = (t_end_ - current_.t) * window / (current_.t - line_before_.t);
  if (max_steps_ > 0 && current_.step > line_before_.step) {
    const auto steps_left = static_cast<double>(max_steps_ - current_.step);
    eta = std::min(eta, steps_left * window / static_cast<double>(current_.step - line_before_.step));
  }
  if (!std::isfinite(eta)) return state;
  state.eta = std::max(0.0, eta);
  const double elapsed = seconds(now - start_);
  state.fraction = elapsed / (elapsed + state.eta);
  return state;
}

void Progress::step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes) {
  const auto now = Clock::now();
  current_ = {now, step, current_.volumes + volumes, t};
  dt_ = dt;
  leaves_ = leaves;
  const bool live = log::on_terminal();
  if (live && now - last_live_ >= live_interval) {
    const ProgressState current = state(now);
    const int filled = static_cast<int>(current.fraction * bar_width);
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
