// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/saved_counters.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "base/join.hpp"
#include "parallel/communicator.hpp"

namespace meander::ccz4 {

std::string coordinate_name(std::size_t axis) {
  return std::string(1, "xyz"[axis]);
}

SavedCounters::SavedCounters(const io::CheckpointState& state, std::string prefix)
    : file_(state.file), prefix_(std::move(prefix)) {
  for (const auto& [name, value] : state.counters) {
    if (name.starts_with(prefix_)) values_.emplace(name.substr(prefix_.size()), value);
  }
}

std::vector<std::string> SavedCounters::names(const std::string& start) const {
  std::vector<std::string> found;
  for (auto value = values_.lower_bound(start); value != values_.end() && value->first.starts_with(start);
       ++value)
    found.push_back(value->first);
  return found;
}

int SavedCounters::integer(const std::string& name, std::int64_t most) const {
  const std::int64_t value = at(name);
  if (value < 0 || value > most)
    refuse(name, fmt::format("is {}, but must lie between 0 and {}", value, most));
  return static_cast<int>(value);
}

double SavedCounters::number(const std::string& name, double least, double most) const {
  const auto value = std::bit_cast<double>(at(name));
  if (!std::isfinite(value)) refuse(name, fmt::format("is {}", value));
  if (value < least || value > most)
    refuse(name, fmt::format("is {:.6g}, but must lie between {:.6g} and {:.6g}", value, least, most));
  return value;
}

Point<3> SavedCounters::point(const std::string& start, const Point<3>& lower, const Point<3>& upper) const {
  Point<3> point;
  for (std::size_t a = 0; a < 3; ++a) point[a] = number(start + coordinate_name(a), lower[a], upper[a]);
  return point;
}

void SavedCounters::refuse(const std::string& name, const std::string& why) const {
  throw parallel::AgreedInputError(
      fmt::format("{}: counter {}{} {}", file_.empty() ? "restart" : file_, prefix_, name, why));
}

std::int64_t SavedCounters::at(const std::string& name) const {
  const auto value = values_.find(name);
  if (value == values_.end()) refuse(name, "is missing");
  return value->second;
}

namespace {

constexpr std::int64_t most_counted = 1'000'000'000;

std::string prefix_of_horizon(int number) {
  return fmt::format("horizon-{}-", number);
}
std::string mode_name(std::size_t mode) {
  return fmt::format("a-{:04d}", mode);
}

// The coefficients of a surface; empty: there are none.
std::vector<double> modes_of(const SavedCounters& counters, double largest_radius) {
  std::vector<double> a;
  for (const std::string& name : counters.names("a-")) {
    if (a.size() == mode_count(most_horizon_degree)) counters.refuse(name, "is one mode too many");
    if (name != mode_name(a.size()))
      counters.refuse(name, fmt::format("stands where {} is expected", mode_name(a.size())));
    // |Y_lm|^2 <= (2 l + 1) / (4 pi) bounds the modes of a radius that is positive in all directions. The margin is that
    // of rounding.
    const double of_mean = std::sqrt(4 * std::numbers::pi),
                 bound = a.empty() ? 0 : 1.001 * std::sqrt(2.0 * degree_of(a.size()) + 1) * a.front();
    a.push_back(a.empty() ? counters.number(name, 0, of_mean * largest_radius)
                          : counters.number(name, -bound, bound));
    if (a.front() == 0) counters.refuse(name, "is 0: the surface has no mean radius");
  }
  int degree = 0;
  while (mode_count(degree) < a.size()) ++degree;
  if (!a.empty() && mode_count(degree) != a.size()) counters.refuse(mode_name(a.size()), "is missing");
  return a;
}

}  // namespace

std::string HorizonObject::text() const {
  if (puncture > 0) return fmt::format("puncture {}", puncture);
  if (common) return "all punctures";
  return fmt::format("the point ({})", join(centre, ", "));
}

void save_horizon(const SavedHorizon& horizon, int number, io::CheckpointState& state) {
  const auto count = [&](const std::string& name, int value) {
    state.counters.emplace_back(prefix_of_horizon(number) + name, value);
  };
  const auto keep = [&](const std::string& name, double value) {
    state.counters.emplace_back(prefix_of_horizon(number) + name, std::bit_cast<std::int64_t>(value));
  };
  if (horizon.object) {
    count("puncture", horizon.object->puncture);
    count("common", horizon.object->common ? 1 : 0);
    for (std::size_t a = 0; a < horizon.object->centre.size(); ++a)
      keep("point-" + coordinate_name(a), horizon.object->centre[a]);
  }
  const SearchState& searches = horizon.searches;
  if (searches.last == SearchState::never) return;
  keep("last", searches.last);
  count("misses", searches.misses);
  count("left-out", searches.left_out);
  if (!searches.shape) return;
  for (std::size_t a = 0; a < 3; ++a) keep("centre-" + coordinate_name(a), searches.shape->centre[a]);
  for (std::size_t m = 0; m < searches.shape->a.size(); ++m) keep(mode_name(m), searches.shape->a[m]);
}

SavedHorizon saved_horizon(const io::CheckpointState& state, int number, const Point<3>& lower,
                           const Point<3>& upper) {
  const SavedCounters counters(state, prefix_of_horizon(number));
  SavedHorizon saved;
  const bool has_point = !counters.names("point-").empty();
  if (counters.has("puncture") || counters.has("common") || has_point) {
    HorizonObject& object = saved.object.emplace();
    object.puncture = counters.integer("puncture", most_counted);
    object.common = counters.integer("common", 1) == 1;
    if (has_point) {
      const Point<3> point = counters.point("point-", lower, upper);
      object.centre.assign(point.begin(), point.end());
    }
  }
  SearchState& searches = saved.searches;
  const double diagonal = std::hypot(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
  const std::vector<double> modes = modes_of(counters, diagonal);
  if (modes.empty() && !counters.has("last")) return saved;
  searches.last = counters.number("last");
  if (searches.last > state.time)
    counters.refuse("last", fmt::format("is {}, later than the time of the checkpoint", searches.last));
  searches.misses = counters.integer("misses", most_counted);
  searches.left_out = counters.integer("left-out", most_counted);
  if (!modes.empty()) searches.shape = HorizonShape{counters.point("centre-", lower, upper), modes};
  return saved;
}

}  // namespace meander::ccz4
