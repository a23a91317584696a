// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/join.hpp"

#include <fmt/format.h>

namespace meander {
namespace {

template <class T, class Print>
std::string joined(std::span<const T> items, std::string_view separator, const Print& print) {
  std::string text;
  for (const T& item : items) {
    if (&item != items.data()) text += separator;
    text += print(item);
  }
  return text;
}

}  // namespace

std::string join(std::span<const std::string> words, std::string_view separator) {
  return joined(words, separator, [](const std::string& word) -> const std::string& { return word; });
}
std::string join(std::span<const int> numbers, std::string_view separator) {
  return joined(numbers, separator, [](int number) { return fmt::format("{}", number); });
}
std::string join(std::span<const std::int64_t> numbers, std::string_view separator) {
  return joined(numbers, separator, [](std::int64_t number) { return fmt::format("{}", number); });
}
std::string join(std::span<const double> numbers, std::string_view separator, int digits) {
  return joined(numbers, separator, [digits](double number) {
    return digits > 0 ? fmt::format("{:.{}g}", number, digits) : fmt::format("{}", number);
  });
}

}  // namespace meander
