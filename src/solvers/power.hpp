// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Powers by the operations of math.hpp alone, so that double, packs and device code agree bitwise, as they do not with
// the libraries' pow(). Usable in device code.

#include <cstdint>
#include <cstring>

#include "solvers/math.hpp"

namespace meander::solvers {

// x = 2^k m with m from sqrt(1/2) to sqrt(2), for positive, normal x. Returns k.
MEANDER_TERM double split(double x, double& m) {
  // The bits of sqrt(1/2): subtracted, they make the exponent field count from m = sqrt(1/2).
  constexpr std::uint64_t offset = 0x3fe6a09e667f3bcd;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint64_t from_root = bits - offset, mantissa = (from_root & 0x000fffffffffffff) + offset;
  std::memcpy(&m, &mantissa, sizeof m);
  return static_cast<double>(static_cast<std::int64_t>(from_root) >> 52);
}

// 2^n for whole n from -1022 to 1023.
MEANDER_TERM double power_of_two(double n) {
  const std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52;
  double result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// x^y for positive, normal x and results, with a relative error below 2e-14 for results between 1e-30 and 1e30. Other
// arguments give an unspecified value, which may be NaN.
//
// log2(m) from the series of artanh((m - 1) / (m + 1)); 2^(y log2(x)) from an integer and a Taylor series about it.
template <class T>
MEANDER_TERM T power(const T& x, double y) {
  const T one(1.0);
  T m;
  const T k = split(x, m);
  const T s = (m - one) / (m + one), s2 = s * s;
  T series(1.0 / 21);
  MEANDER_UNROLL
  for (int n = 19; n >= 3; n -= 2) series = fma(series, s2, T(1.0 / n));
  // ln(m) = 2 s + 2 s^3 series; the leading term is added last.
  const T log_m = fma(s + s, s2 * series, s + s);
  const T exponent = T(y) * fma(T(1.4426950408889634), log_m, k);  // log2(e)

  const T whole = min(max(floor(exponent + T(0.5)), T(-1022.0)), T(1023.0));
  const T r = (exponent - whole) * T(0.6931471805599453);  // ln(2)
  T factor(1.0 / 13);
  MEANDER_UNROLL
  for (int n = 12; n >= 1; --n) factor = fma(factor, r, one) * T(1.0 / n);
  return power_of_two(whole) * fma(factor, r, one);
}

// x^(-1/3) within 4 %, for positive, normal x: a third of the exponent and of the mantissa, as of one integer.
MEANDER_TERM double rough_inverse_cube_root(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x553ef00000000000 - (bits >> 32) * 0x55555555;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// x^(-1/3) for positive, normal x, with a relative error below 2e-16: two steps of fourth order, by the series of
// (1 - e)^(-1/3) for the error e = 1 - x z^3 of an approximation z.
template <class T>
MEANDER_TERM T inverse_cube_root(const T& x) {
  T z = rough_inverse_cube_root(x);
  MEANDER_UNROLL
  for (int step = 0; step < 2; ++step) {
    const T e = fma(-(x * z), z * z, T(1.0));
    z = fma(z * e, fma(fma(T(14.0 / 81), e, T(2.0 / 9)), e, T(1.0 / 3)), z);
  }
  return z;
}

}  // namespace meander::solvers
