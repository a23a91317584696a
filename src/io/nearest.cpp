// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/join.hpp"

namespace meander::io {

namespace {

std::string folded(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    c = c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

int edit_distance(std::string_view left, std::string_view right) {
  const std::string a = folded(left), b = folded(right);
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> names) {
  int best = std::max(2, static_cast<int>(name.size()) / 3) + 1;
  std::string result;
  for (const std::string& candidate : names) {
    // The distance is at least the difference in length. Only candidates of similar length are worth the product of both.
    const auto longer = std::max(name.size(), candidate.size()),
               shorter = std::min(name.size(), candidate.size());
    if (longer - shorter >= static_cast<std::size_t>(best)) continue;
    const int distance = edit_distance(name, candidate);
    // A candidate that shares no letter with the name is no suggestion.
    if (distance < best && distance < static_cast<int>(std::max(name.size(), candidate.size()))) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string suggestion(std::string_view name, std::span<const std::string> names,
                       std::string_view otherwise) {
  const std::string near = nearest(name, names);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  return names.empty() ? "" : fmt::format("; {}: {}", otherwise, join(names, ", "));
}

}  // namespace meander::io
