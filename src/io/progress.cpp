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
    : t_start_(t_start),
      t_end_(t_end),
      max_steps_(max_steps),
      interval_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_between_lines))),
      start_(Clock::now()),
      last_line_(start_),
      last_live_(start_),
      t_(t_start) {}

Progress::~Progress() {
  log::live_line("");
}

ProgressState Progress::state(Clock::time_point now) const {
  ProgressState state;
  state.step = step_;
  state.t = t_;
  state.dt = dt_;
  state.leaves = leaves_;
  const double since_line = seconds(now - last_line_), elapsed = seconds(now - start_);
  state.volumes_per_second = since_line > 0 ? static_cast<double>(volumes_since_line_) / since_line : 0;
  state.fraction = (t_ - t_start_) / (t_end_ - t_start_);
  if (max_steps_ > 0) {
    state.fraction = std::max(state.fraction, static_cast<double>(step_) / static_cast<double>(max_steps_));
  }
  state.fraction = std::clamp(state.fraction, 0.0, 1.0);
  if (state.fraction > 0) state.eta = elapsed * (1 - state.fraction) / state.fraction;
  return state;
}

void Progress::step(std::int64_t step, double t, double dt, std::int64_t leaves, std::int64_t volumes) {
  step_ = step;
  t_ = t;
  dt_ = dt;
  leaves_ = leaves;
  volumes_since_line_ += volumes;
  const auto now = Clock::now();
  const bool live = log::on_terminal();
  if (live && now - last_live_ >= live_interval) {
    const ProgressState current = state(now);
    const int filled = static_cast<int>(current.fraction * bar_width);
    log::live_line(fmt::format("[{:<{}}] {}", std::string(static_cast<std::size_t>(filled), '#'), bar_width,
                               progress_line(current)));
    last_live_ = now;
  }
  if (now - last_line_ < interval_) return;
  if (!live) log::info(progress_line(state(now)));
  last_line_ = now;
  volumes_since_line_ = 0;
}

}  // namespace meander::io
