// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small fixed-size vectors and integer powers. Usable in device code: std::array needs only constexpr there.

#include <array>
#include <cstddef>
#include <cstdint>

namespace meander {

template <class T, int D>
using Vec = std::array<T, static_cast<std::size_t>(D)>;

template <int D>
using Point = Vec<double, D>;

template <int D>
using Index = Vec<int, D>;

inline constexpr const char* axis_names[] = {"x", "y", "z"};

// base^exponent for exponent >= 0. The caller ensures that T can represent the result.
template <class T>
constexpr T ipow(T base, int exponent) {
  T result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace meander
