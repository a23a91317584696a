// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The unit of scripts/build-budget: a file with what most files of the program make the compiler do, independent of them.
// Whoever changes it has to scale all budgets.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Figure {
  std::string name;
  std::variant<double, std::string, std::vector<double>> value;
  std::optional<std::string> unit;
};

template <int D>
struct Cell {
  std::array<int, D> at{};
  int level = 0;
  auto operator<=>(const Cell&) const = default;
};

template <int D>
class Cells {
 public:
  void add(const Cell<D>& cell, double weight) { weights_[cell] += weight; }

  std::vector<std::pair<Cell<D>, double>> heaviest(std::size_t count) const {
    std::vector<std::pair<Cell<D>, double>> all(weights_.begin(), weights_.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (all.size() > count) all.resize(count);
    return all;
  }

  std::vector<double> by_level(const std::function<double(double)>& map) const {
    std::unordered_map<int, double> sums;
    for (const auto& [cell, weight] : weights_) sums[cell.level] += map(weight);
    std::vector<double> result(sums.size());
    for (const auto& [level, sum] : sums) result.at(static_cast<std::size_t>(level)) = sum;
    return result;
  }

 private:
  std::map<Cell<D>, double> weights_;
};

std::string text_of(const Figure& figure) {
  std::ostringstream text;
  text << figure.name << " = ";
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<double>>) {
          for (const double item : value) text << item << ' ';
        } else {
          text << value;
        }
      },
      figure.value);
  if (figure.unit) text << ' ' << *figure.unit;
  return text.str();
}

template <int D>
std::vector<std::string> report(const std::vector<Cell<D>>& cells) {
  const auto kept = std::make_unique<Cells<D>>();
  for (const Cell<D>& cell : cells) kept->add(cell, std::exp(cell.level));
  std::vector<std::string> lines;
  for (const auto& [cell, weight] : kept->heaviest(10))
    lines.push_back(text_of({"cell of level " + std::to_string(cell.level), weight, "s"}));
  lines.push_back(text_of({"by level", kept->by_level([](double weight) { return std::sqrt(weight); }), {}}));
  return lines;
}

}  // namespace

std::vector<std::string> report_2d(const std::vector<Cell<2>>& cells) {
  return report(cells);
}
std::vector<std::string> report_3d(const std::vector<Cell<3>>& cells) {
  return report(cells);
}
