// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace meander {

namespace {
constexpr std::int64_t low_bits = 0xffffffff;
// Each addition adds less than 2^34 to a digit.
constexpr std::int64_t additions_before_carry = std::int64_t{1} << 28;
}  // namespace

void ExactSum::add(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff) {
    ++not_finite_[std::isnan(x) ? nan : x > 0 ? infinite : negative_infinite];
    return;
  }
  std::uint64_t mantissa = bits & 0xfffffffffffff;
  if (exponent > 0) mantissa |= std::uint64_t{1} << 52;
  const int position = exponent > 0 ? exponent - 1 : 0;
  const int shift = position & 31;
  const auto low = static_cast<std::int64_t>((mantissa & 0xffffffff) << shift);
  const auto high = static_cast<std::int64_t>((mantissa >> 32) << shift);
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  std::int64_t* digit = digit_ + (position >> 5);
  digit[0] += sign * (low & low_bits);
  digit[1] += sign * ((low >> 32) + (high & low_bits));
  digit[2] += sign * (high >> 32);
  if (++unsettled_ == additions_before_carry) settle();
}

void ExactSum::add(const ExactSum& other) {
  ExactSum settled = other;
  settled.settle();
  settle();
  for (int i = 0; i < digits; ++i) digit_[i] += settled.digit_[i];
  settle();
  for (int i = 0; i < kinds; ++i) not_finite_[i] += other.not_finite_[i];
}

auto ExactSum::parts() const -> Parts {
  ExactSum settled = *this;
  settled.settle();
  Parts parts;
  std::copy_n(settled.digit_, digits, parts.begin());
  std::copy_n(settled.not_finite_, kinds, parts.begin() + digits);
  return parts;
}

ExactSum::ExactSum(const Parts& parts) {
  std::copy_n(parts.begin(), digits, digit_);
  std::copy_n(parts.begin() + digits, kinds, not_finite_);
  settle();
}

void ExactSum::settle() {
  for (int i = 0; i + 1 < digits; ++i) {
    digit_[i + 1] += digit_[i] >> 32;
    digit_[i] &= low_bits;
  }
  unsettled_ = 0;
}

double ExactSum::value() const {
  if (not_finite_[nan] != 0 || (not_finite_[infinite] != 0 && not_finite_[negative_infinite] != 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (not_finite_[infinite] != 0) return std::numeric_limits<double>::infinity();
  if (not_finite_[negative_infinite] != 0) return -std::numeric_limits<double>::infinity();
  ExactSum sum = *this;
  sum.settle();
  const bool negative = sum.digit_[digits - 1] < 0;
  if (negative) {
    for (std::int64_t& digit : sum.digit_) digit = -digit;
    sum.settle();
  }
  int top = digits - 1;
  while (top >= 0 && sum.digit_[top] == 0) --top;
  if (top < 0) return 0;

  // The mantissa has the leading 53 bits; rounding requires the next bit and whether any bit below it is set.
  const int leading =
      32 * top + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum.digit_[top]))) - 1;
  const int last = leading > 52 ? leading - 52 : 0;
  const auto bit = [&](int i) { return static_cast<std::uint64_t>(sum.digit_[i >> 5] >> (i & 31)) & 1; };
  std::uint64_t mantissa = 0;
  for (int i = leading; i >= last; --i) mantissa = mantissa << 1 | bit(i);
  if (last > 0 && bit(last - 1) != 0) {
    bool more = (sum.digit_[(last - 1) >> 5] & ((std::int64_t{1} << ((last - 1) & 31)) - 1)) != 0;
    for (int i = ((last - 1) >> 5) - 1; i >= 0 && !more; --i) more = sum.digit_[i] != 0;
    if (more || (mantissa & 1) != 0) ++mantissa;
  }
  const double magnitude = std::ldexp(static_cast<double>(mantissa), last - 1074);
  return negative ? -magnitude : magnitude;
}

}  // namespace meander
