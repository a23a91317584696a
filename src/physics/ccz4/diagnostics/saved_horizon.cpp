// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/saved_horizon.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <map>

#include "parallel/communicator.hpp"

namespace meander::ccz4 {
namespace {

constexpr const char* axes = "xyz";
constexpr std::int64_t most_counted = 1'000'000'000;

std::string prefix_of(int number) {
  return fmt::format("horizon-{}-", number);
}
std::string coordinate(const char* point, std::size_t axis) {
  return fmt::format("{}-{}", point, axes[axis]);
}
std::string mode_name(std::size_t mode) {
  return fmt::format("a-{:04d}", mode);
}

// The counters of a table, by name without prefix. Checksums do not prove that Meander wrote the values.
class Counters {
 public:
  Counters(const io::CheckpointState& state, int number) : prefix_(prefix_of(number)) {
    for (const auto& [name, value] : state.counters) {
      if (name.starts_with(prefix_)) values_.emplace(name.substr(prefix_.size()), value);
    }
  }

  bool has(const std::string& name) const { return values_.contains(name); }
  int integer(const std::string& name, std::int64_t most) const {
    const std::int64_t value = at(name);
    if (value < 0 || value > most) refuse(name, fmt::format("is {}", value));
    return static_cast<int>(value);
  }
  double number(const std::string& name) const {
    const auto value = std::bit_cast<double>(at(name));
    if (!std::isfinite(value)) refuse(name, fmt::format("is {}", value));
    return value;
  }
  std::vector<double> point(const char* name) const {
    std::vector<double> x;
    for (std::size_t a = 0; a < 3; ++a) x.push_back(number(coordinate(name, a)));
    return x;
  }
  // Empty: there are none.
  std::vector<double> modes() const {
    std::vector<double> a;
    for (auto value = values_.lower_bound("a-"); value != values_.end() && value->first.starts_with("a-");
         ++value) {
      if (a.size() == mode_count(most_horizon_degree)) refuse(value->first, "is one mode too many");
      if (value->first != mode_name(a.size()))
        refuse(value->first, fmt::format("stands where {} is expected", mode_name(a.size())));
      a.push_back(number(value->first));
    }
    int degree = 0;
    while (mode_count(degree) < a.size()) ++degree;
    if (!a.empty() && mode_count(degree) != a.size()) refuse(mode_name(a.size()), "is missing");
    return a;
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw parallel::AgreedInputError(
        fmt::format("restart: counter {}{} of the checkpoint {}", prefix_, name, why));
  }

 private:
  std::int64_t at(const std::string& name) const {
    const auto value = values_.find(name);
    if (value == values_.end()) refuse(name, "is missing");
    return value->second;
  }

  std::string prefix_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace

std::string HorizonObject::text() const {
  if (puncture > 0) return fmt::format("puncture {}", puncture);
  if (common) return "all punctures";
  return fmt::format("the point ({})", fmt::join(centre, ", "));
}

void save_horizon(const SavedHorizon& horizon, int number, io::CheckpointState& state) {
  const auto count = [&](const std::string& name, int value) {
    state.counters.emplace_back(prefix_of(number) + name, value);
  };
  const auto keep = [&](const std::string& name, double value) {
    state.counters.emplace_back(prefix_of(number) + name, std::bit_cast<std::int64_t>(value));
  };
  if (horizon.object) {
    count("puncture", horizon.object->puncture);
    count("common", horizon.object->common ? 1 : 0);
    for (std::size_t a = 0; a < horizon.object->centre.size(); ++a)
      keep(coordinate("point", a), horizon.object->centre[a]);
  }
  const SearchState& searches = horizon.searches;
  if (searches.last == SearchState::never) return;
  keep("last", searches.last);
  count("misses", searches.misses);
  count("left-out", searches.left_out);
  if (!searches.shape) return;
  for (std::size_t a = 0; a < 3; ++a) keep(coordinate("centre", a), searches.shape->centre[a]);
  for (std::size_t m = 0; m < searches.shape->a.size(); ++m) keep(mode_name(m), searches.shape->a[m]);
}

SavedHorizon saved_horizon(const io::CheckpointState& state, int number) {
  const Counters counters(state, number);
  SavedHorizon saved;
  if (counters.has("puncture")) {
    HorizonObject& object = saved.object.emplace();
    object.puncture = counters.integer("puncture", most_counted);
    object.common = counters.integer("common", 1) == 1;
    if (counters.has(coordinate("point", 0))) object.centre = counters.point("point");
  }
  SearchState& searches = saved.searches;
  const std::vector<double> modes = counters.modes();
  if (modes.empty() && !counters.has("last")) return saved;
  searches.last = counters.number("last");
  if (searches.last > state.time)
    counters.refuse("last", fmt::format("is {}, later than its time", searches.last));
  searches.misses = counters.integer("misses", most_counted);
  searches.left_out = counters.integer("left-out", most_counted);
  if (modes.empty()) return saved;
  const std::vector<double> centre = counters.point("centre");
  searches.shape = HorizonShape{{centre[0], centre[1], centre[2]}, modes};
  return saved;
}

}  // namespace meander::ccz4
