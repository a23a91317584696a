// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/walltime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace meander::simulation {
namespace {

constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;

[[noreturn]] void refuse_walltime(const std::string& text) {
  throw InputError(
      fmt::format("--walltime {}: must be hours:minutes:seconds, days-hours:minutes:seconds or minutes, and "
                  "not 0; at most "
                  "23 hours after days, 59 minutes after hours and 59 seconds",
                  text));
}

// The numbers between the colons.
std::vector<double> numbers(const std::string& part, const std::string& text) {
  constexpr std::size_t most_digits = 9;
  std::vector<double> list;
  for (std::size_t begin = 0; begin <= part.size();) {
    const std::size_t end = std::min(part.find(':', begin), part.size());
    const std::string digits = part.substr(begin, end - begin);
    const bool good =
        !digits.empty() && digits.size() <= most_digits &&
        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!good) refuse_walltime(text);
    list.push_back(std::stod(digits));
    begin = end + 1;
  }
  return list;
}

// The seconds of numbers in these units, of which none but the first may make up one of the unit before.
double seconds_in(const std::vector<double>& numbers, std::span<const double> units, double unit_before,
                  const std::string& text) {
  double seconds = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (unit_before > 0 && numbers[i] * units[i] >= unit_before) refuse_walltime(text);
    seconds += numbers[i] * units[i];
    unit_before = units[i];
  }
  return seconds;
}

}  // namespace

double parse_walltime(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::vector<double> rest = numbers(dash == std::string::npos ? text : text.substr(dash + 1), text);
  if (rest.size() > 3) refuse_walltime(text);
  double seconds = 0;
  const double units[] = {hour, minute, 1};
  if (dash == std::string::npos) {
    // A single number is minutes.
    const std::size_t first = rest.size() == 3 ? 0 : 1;
    seconds = seconds_in(rest, std::span(units).subspan(first), 0, text);
  } else {
    const std::vector<double> days = numbers(text.substr(0, dash), text);
    if (days.size() != 1) refuse_walltime(text);
    seconds = days[0] * day + seconds_in(rest, units, day, text);
  }
  if (seconds <= 0) refuse_walltime(text);
  return seconds;
}

}  // namespace meander::simulation
