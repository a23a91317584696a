// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of a report. Each is declared once, with its key in summary.json, which names the unit, and with the merge
// over ranks; lines of the log print the merged values.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/join.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

inline constexpr double mega = 1e6, milli = 1e-3, micro = 1e-6, nano = 1e-9;

template <class Part, class Whole>
double quotient(Part part, Whole whole, double otherwise = 0) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : otherwise;
}

// A value of all ranks; before the merge, `mean` is that of this rank.
struct Spread {
  double min = 0, mean = 0, max = 0;
};

struct Json {
  std::string text;
};
// Values as JSON, which has no infinity and no NaN: null.
std::string json(double value);
std::string json(std::int64_t value);
inline std::string json(int value) {
  return json(std::int64_t{value});
}
std::string json(const std::string& value);
inline std::string json(const Json& value) {
  return value.text;
}
std::string json(const Spread& value);
std::string json(const std::vector<std::string>& values);
template <class T>
std::string json(const std::vector<T>& values) {
  return "[" + join(values, ", ") + "]";
}
std::string json(const std::map<std::string, std::int64_t>& values);

enum class Merge : std::uint8_t { none, sum, max, spread };

struct Figure {
  // A value of the report, which merge_over_ranks() replaces. key null: only other figures need it.
  template <class T>
  Figure(const char* of, T* merged, Merge over_ranks) : key(of), value(merged), merge(over_ranks) {}
  // A value that is equal on all ranks, or computed from others.
  template <class T>
  Figure(const char* of, const T& equal) : key(of), value(json(equal)) {}

  const char* key;
  std::variant<std::int64_t*, double*, Spread*, std::map<std::string, std::int64_t>*, std::string>
      value;  // the last: JSON
  Merge merge = Merge::none;
};

// Sums of seconds are in order of the ranks. Collective.
void merge_over_ranks(std::span<const Figure> figures, const parallel::Communicator& communicator);

// Lines of a JSON object, without the braces.
std::string json_lines(std::span<const Figure> figures);

}  // namespace meander::simulation
