// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A 64-bit checksum that detects damage. It is not cryptographic.

#include <cstddef>
#include <cstdint>
#include <span>

namespace meander::io {

// The rounds of xxHash64 (Collet 2012) with each of its four lanes folded in once. Every step is a bijection
// of the 8 bytes that it absorbs, so that damage within one aligned word always changes the result. `number`
// distinguishes equal bytes at different positions.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t number);

}  // namespace meander::io
