// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/saved_counters.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

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

}  // namespace meander::ccz4
