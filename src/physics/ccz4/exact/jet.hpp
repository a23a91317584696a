// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jet: a value with its partial derivatives with respect to t, x, y, z, which every operation propagates
// exactly (forward differentiation). T is double, or a Jet for second derivatives.

#include <cmath>
#include "physics/ccz4/names.hpp"

namespace meander::ccz4::exact {

template <class T>
struct Jet {
  T value{};
  T d[4]{};

  Jet() = default;
  Jet(double constant) : value(constant) {}  // NOLINT: constants mix freely with jets in formulas
  // The coordinate `axis` (0: t) with value `at`.
  static Jet coordinate(const T& at, int axis) {
    Jet jet;
    jet.value = at;
    jet.d[axis] = T(1.0);
    return jet;
  }
  // f(x) from f and f' at x.value.
  static Jet chain(const T& f, const T& slope, const Jet& x) {
    Jet jet;
    jet.value = f;
    for (int a = 0; a < 4; ++a) jet.d[a] = slope * x.d[a];
    return jet;
  }

  friend Jet operator+(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value + b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = a.d[n] + b.d[n];
    return r;
  }
  friend Jet operator-(const Jet& a) {
    Jet r;
    r.value = -a.value;
    for (int n = 0; n < 4; ++n) r.d[n] = -a.d[n];
    return r;
  }
  friend Jet operator-(const Jet& a, const Jet& b) { return a + (-b); }
  friend Jet operator*(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value * b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = a.d[n] * b.value + a.value * b.d[n];
    return r;
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value / b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = (a.d[n] - r.value * b.d[n]) / b.value;
    return r;
  }
};

template <class T>
Jet<T> sqrt(const Jet<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.value);
  return Jet<T>::chain(root, T(0.5) / root, x);
}
template <class T>
Jet<T> sin(const Jet<T>& x) {
  using std::cos, std::sin;
  return Jet<T>::chain(sin(x.value), cos(x.value), x);
}
template <class T>
Jet<T> cos(const Jet<T>& x) {
  using std::cos, std::sin;
  return Jet<T>::chain(cos(x.value), -sin(x.value), x);
}
template <class T>
Jet<T> log(const Jet<T>& x) {
  using std::log;
  return Jet<T>::chain(log(x.value), T(1.0) / x.value, x);
}
template <class T>
Jet<T> cbrt(const Jet<T>& x) {
  using std::cbrt;
  const T root = cbrt(x.value);
  return Jet<T>::chain(root, root / (T(3.0) * x.value), x);
}

}  // namespace meander::ccz4::exact
