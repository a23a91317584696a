// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dual numbers a + b eps, eps^2 = 0: a value and its derivative along one direction. The third value type of
// PDE terms.

#include "solvers/math.hpp"

namespace meander::solvers::test {

struct Dual {
  double value = 0, slope = 0;

  Dual() = default;
  explicit Dual(double constant) : value(constant) {}
  Dual(double v, double s) : value(v), slope(s) {}

  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  friend Dual operator/(Dual a, Dual b) {
    return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
  }
  friend bool operator>(Dual a, Dual b) { return a.value > b.value; }
  friend bool operator<(Dual a, Dual b) { return a.value < b.value; }
  friend bool operator<=(Dual a, Dual b) { return a.value <= b.value; }
};

inline Dual fma(Dual a, Dual b, Dual c) {
  return a * b + c;
}
inline Dual sqrt(Dual a) {
  const double root = std::sqrt(a.value);
  return {root, 0.5 * a.slope / root};
}
inline Dual abs(Dual a) {
  return a.value < 0 ? -a : a;
}
inline Dual max(Dual a, Dual b) {
  return a > b ? a : b;
}
inline Dual min(Dual a, Dual b) {
  return a < b ? a : b;
}
inline Dual select(bool condition, Dual a, Dual b) {
  return condition ? a : b;
}

}  // namespace meander::solvers::test
