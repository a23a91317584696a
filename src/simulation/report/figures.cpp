// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>

#include "io/key_table.hpp"

namespace meander::simulation {

std::string json(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string json(const std::string& value) {
  return io::toml_text(value);  // its escapes are those of JSON
}

std::string json(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(json(value));
  return "[" + join(quoted, ", ") + "]";
}

std::string json(const Spread& value) {
  return fmt::format(R"({{"min": {}, "mean": {}, "max": {}}})", json(value.min), json(value.mean),
                     json(value.max));
}

std::string json(const std::map<std::string, std::int64_t>& values) {
  std::vector<std::string> list;
  for (const auto& [key, value] : values) list.push_back(fmt::format("\"{}\": {}", key, value));
  return fmt::format("{{{}}}", join(list, ", "));
}

namespace {

std::map<std::string, std::int64_t> sum_by_key(const std::map<std::string, std::int64_t>& own,
                                               const parallel::Communicator& communicator) {
  std::string text;
  for (const auto& [key, count] : own) text += fmt::format("{}\t{}\n", key, count);
  const std::vector<char> all = communicator.all_gather<char>(std::span<const char>(text));
  std::map<std::string, std::int64_t> sums;
  std::istringstream lines(std::string(all.begin(), all.end()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    sums[line.substr(0, tab)] += std::stoll(line.substr(tab + 1));
  }
  return sums;
}

}  // namespace

void merge_over_ranks(std::span<const Figure> figures, const parallel::Communicator& communicator) {
  for (const Figure& figure : figures) {
    if (figure.merge == Merge::none) continue;
    if (const auto* const count = std::get_if<std::int64_t*>(&figure.value)) {
      **count = figure.merge == Merge::sum ? communicator.sum(**count) : communicator.max(**count);
      continue;
    }
    if (const auto* const counts = std::get_if<std::map<std::string, std::int64_t>*>(&figure.value)) {
      **counts = sum_by_key(**counts, communicator);
      continue;
    }
    const auto* const spread = std::get_if<Spread*>(&figure.value);
    double& own = spread != nullptr ? (*spread)->mean : *std::get<double*>(figure.value);
    const std::vector<double> all = communicator.all_gather(own);
    double sum = 0;
    for (const double value : all) sum += value;
    const auto [min, max] = std::ranges::minmax(all);
    if (spread != nullptr)
      **spread = {min, sum / static_cast<double>(all.size()), max};
    else
      own = figure.merge == Merge::sum ? sum : max;
  }
}

std::string json_lines(std::span<const Figure> figures) {
  const auto text = [](const auto& value) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>)
      return json(*value);
    else
      return value;
  };
  std::vector<std::string> lines;
  for (const Figure& figure : figures) {
    if (figure.key != nullptr)
      lines.push_back(fmt::format("  \"{}\": {}", figure.key, std::visit(text, figure.value)));
  }
  return join(lines, ",\n");
}

}  // namespace meander::simulation
