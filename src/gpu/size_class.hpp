// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Size classes: eight per power of two from 256 bytes, so that a block exceeds the request by an eighth at
// most.

#include <bit>
#include <cstddef>

namespace meander::gpu {

inline constexpr int smallest_class_bits = 8, steps_bits = 3;
inline constexpr int size_classes = ((48 - smallest_class_bits) << steps_bits) + 1;
inline constexpr std::size_t largest_class_bytes = std::size_t{1} << 48;

// The smallest class of at least `bytes` bytes; 1 <= bytes <= largest_class_bytes.
constexpr int size_class(std::size_t bytes) {
  if (bytes <= (std::size_t{1} << smallest_class_bits)) return 0;
  const int doubling = static_cast<int>(std::bit_width(bytes - 1)) - 1;
  const int step = static_cast<int>((bytes - 1) >> (doubling - steps_bits)) & ((1 << steps_bits) - 1);
  return ((doubling - smallest_class_bits) << steps_bits) + step + 1;
}

// Bytes of the blocks of a class.
constexpr std::size_t class_bytes(int size_class) {
  const int doubling = size_class >> steps_bits, step = size_class & ((1 << steps_bits) - 1);
  return (std::size_t{(1u << steps_bits)} + static_cast<std::size_t>(step))
         << (doubling + smallest_class_bits - steps_bits);
}

}  // namespace meander::gpu
