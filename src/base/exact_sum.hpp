// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exact sum of doubles. It does not round and therefore does not depend on the order: the result is bitwise
// identical for any number of threads, ranks or chunks. The sum is a fixed-point number that holds every
// double (after Kulisch's long accumulator), in digits of 32 bits stored in 64 bits, so that carries can be
// deferred.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace meander {

class ExactSum {
  static constexpr int digits = 68;  // 2^-1074 .. 2^1024, for up to 2^60 addends
  enum NotFinite { infinite, negative_infinite, nan, kinds };

 public:
  // Integers that represent the sum. Element-wise addition of the parts of up to 2^30 processes gives the
  // parts of the total.
  using Parts = std::array<std::int64_t, std::size_t{digits} + kinds>;

  ExactSum() = default;
  explicit ExactSum(const Parts& parts);

  // Accepts any double. Takes a few nanoseconds.
  void add(double x);
  void add(const ExactSum& other);

  // The exact sum, rounded once to the nearest double (ties to even); infinite beyond the largest double. If
  // infinities or NaN were added: their sum, with one fixed bit pattern for NaN.
  double value() const;
  Parts parts() const;

 private:
  void settle();  // propagates carries; afterwards all digits but the last are in [0, 2^32)

  std::int64_t digit_[digits] = {};
  std::int64_t not_finite_[kinds] = {};  // number of addends of each kind
  std::int64_t unsettled_ = 0;           // additions since the last settle()
};
static_assert(std::is_trivially_copyable_v<ExactSum>);

}  // namespace meander
