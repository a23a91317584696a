// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"

namespace meander::io {

namespace {

constexpr std::size_t most_marks = 65;
constexpr double window = 30;  // the fit sees the work from W / window to W
constexpr double recent_share = 0.125;
// Weight of the expected exponent in the fit, in the units of the variance of ln W. It decides while there are few marks.
constexpr double weight_of_expected = 0.2;
constexpr double log_clock_from = 10;  // ratio of the times at begin and end
constexpr double most_growth = 50;     // ln of the largest predicted ratio of works

// Times far from 0 on one side of it, such as conformal time from -30 to -0.3, are measured by their logarithm:
// what happens in each octave counts alike.
bool spans_decades(double t_begin, double t_end) {
  return (t_begin < 0 && t_end < 0 && t_begin < log_clock_from * t_end) ||
         (t_begin > 0 && t_end > log_clock_from * t_begin);
}

double clock_of(double t, bool logarithmic) {
  if (!logarithmic) return t;
  return t < 0 ? -std::log(-t) : std::log(t);
}

}  // namespace

Forecaster::Forecaster(double t_begin, const RunPosition& start, const RunEnds& ends)
    : logarithmic_(spans_decades(t_begin, ends.t)),
      ends_(ends),
      begin_{clock_of(t_begin, logarithmic_), 0},
      marks_{mark_of(start)},
      now_(marks_.front()) {}

Forecaster::Mark Forecaster::mark_of(const RunPosition& position) const {
  return {{clock_of(position.t, logarithmic_), static_cast<double>(position.step)},
          position.work,
          position.seconds};
}

void Forecaster::add(const RunPosition& position) {
  now_ = mark_of(position);
  const double own_work = now_.work - marks_.front().work;
  if (now_.work - marks_.back().work < own_work / (most_marks - 1)) return;
  marks_.push_back(now_);
  if (marks_.size() <= most_marks) return;
  for (std::size_t i = 1; 2 * i < marks_.size(); ++i) marks_[i] = marks_[2 * i];
  marks_.resize((marks_.size() + 1) / 2);
}

const Forecaster::Mark& Forecaster::recent() const {
  const double since = now_.work - recent_share * (now_.work - marks_.front().work);
  std::size_t i = marks_.size() - 1;
  while (i > 0 && marks_[i].work >= since) --i;
  return marks_[i];
}

double Forecaster::exponent(int clock, double rate) const {
  // Before a restart only the totals are known: W ~ (x - x_begin)^(1 / (1 - m)) has them and the present rate.
  const double passed = marks_.front().clock[clock] - begin_[clock];
  const double mean_growth = now_.work / (rate * (now_.clock[clock] - begin_[clock]));
  const double expected = passed > 0 ? std::clamp(1 - mean_growth, 0.0, 1.0) : 0.0;

  double sum = 0, x = 0, y = 0, xx = 0, xy = 0;
  const auto add_interval = [&](const Mark& from, const Mark& to) {
    const double lower = now_.work / window;
    if (!(to.work > lower && to.work > from.work && to.clock[clock] > from.clock[clock])) return;
    // Intervals are short at late work: the weight balances equal ratios of W.
    const double weight = std::log(to.work / std::max(from.work, 0.5 * lower));
    const double u = std::log(0.5 * (from.work + to.work));
    const double v = std::log((to.work - from.work) / (to.clock[clock] - from.clock[clock]));
    sum += weight;
    x += weight * u;
    y += weight * v;
    xx += weight * u * u;
    xy += weight * u * v;
  };
  for (std::size_t i = 1; i < marks_.size(); ++i) add_interval(marks_[i - 1], marks_[i]);
  add_interval(marks_.back(), now_);
  if (!(sum > 0)) return expected;
  const double variance = std::max(0.0, xx - x * x / sum), covariance = xy - x * y / sum;
  return std::clamp((covariance + weight_of_expected * expected) / (variance + weight_of_expected), -1.0,
                    1.0);
}

double Forecaster::remaining(int clock, double x_end) const {
  const double left = x_end - now_.clock[clock];
  if (!(left > 0)) return 0;
  const Mark& since = recent();
  const double work = now_.work - since.work, passed = now_.clock[clock] - since.clock[clock];
  if (!(work > 0 && passed > 0)) return std::numeric_limits<double>::infinity();
  const double mean = work / passed, m = exponent(clock, mean);
  const double rate = mean * std::pow(now_.work / (now_.work - 0.5 * work), m);
  const double s = left * rate / now_.work, b = 1 - m;
  return now_.work * std::expm1(std::min(most_growth, b > 1e-6 ? std::log1p(b * s) / b : s));
}

Forecast Forecaster::forecast() const {
  double work = remaining(0, clock_of(ends_.t, logarithmic_));
  if (ends_.steps > 0) work = std::min(work, remaining(1, static_cast<double>(ends_.steps)));
  const Mark& since = recent();
  Forecast forecast;
  if (!(now_.work > since.work) || !std::isfinite(work)) return forecast;
  forecast.fraction = now_.work / (now_.work + work);
  forecast.seconds = work * (now_.seconds - since.seconds) / (now_.work - since.work);
  const double left = std::max(0.0, ends_.seconds - now_.seconds);
  forecast.stopped_by_walltime = left < forecast.seconds;
  forecast.seconds = std::min(forecast.seconds, left);
  return forecast;
}

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
