// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checksum.hpp"

#include <bit>
#include <cstring>

namespace meander::io {

namespace {

constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu,
                        prime3 = 0x165667B19E3779F9u, prime4 = 0x85EBCA77C2B2AE63u;

std::uint64_t absorb(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

std::uint64_t fold(std::uint64_t hash, std::uint64_t word) {
  return std::rotl(hash ^ word, 27) * prime1 + prime4;
}

std::uint64_t word_at(const std::byte* bytes, std::size_t size = 8) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t number) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t lanes[4] = {number + prime1 + prime2, number + prime2, number, number - prime1};
  for (; left >= 32; left -= 32, at += 32) {
    for (int i = 0; i < 4; ++i) lanes[i] = absorb(lanes[i], word_at(at + 8 * i));
  }
  std::uint64_t hash = bytes.size() * prime3;
  for (const std::uint64_t lane : lanes) hash = fold(hash, lane);
  for (; left >= 8; left -= 8, at += 8) hash = fold(hash, word_at(at) * prime2);
  if (left > 0) hash = fold(hash, word_at(at, left) * prime2);
  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}

}  // namespace meander::io
