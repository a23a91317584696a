// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A sum of doubles without rounding, and therefore without order: the same bits for any number of threads,
// ranks or chunks. A fixed-point number wide enough for every double (after Kulisch's long accumulator), in
// digits of 32 bits held in 64, so that carries wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace meander {

class ExactSum {
  static constexpr int digits = 68;  // 2^-1074 .. 2^1024, and room for 2^60 addends
  enum NotFinite { infinite, negative_infinite, nan, kinds };

 public:
  // Integers that may be added up one by one over the sums of up to 2^30 processes, and then are those of the
  // sum of all.
  using Parts = std::array<std::int64_t, std::size_t{digits} + kinds>;

  ExactSum() = default;
  explicit ExactSum(const Parts& parts);

  // Any double. A few nanoseconds.
  void add(double x);
  void add(const ExactSum& other);

  // The exact sum, rounded once to the nearest double (ties to even); infinite beyond the largest. If
  // infinities or NaN were added: their sum, a NaN always being the same.
  double value() const;
  Parts parts() const;

 private:
  void settle();  // carries; afterwards all digits but the last are in [0, 2^32)

  std::int64_t digit_[digits] = {};
  std::int64_t not_finite_[kinds] = {};  // how many of each were added
  std::int64_t unsettled_ = 0;           // additions since the carries were done
};
static_assert(std::is_trivially_copyable_v<ExactSum>);

}  // namespace meander
