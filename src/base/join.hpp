// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists as text. Unlike fmt::join, these take the compiler no time where they are used.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace meander {

std::string join(std::span<const std::string> words, std::string_view separator);
std::string join(std::span<const int> numbers, std::string_view separator);
std::string join(std::span<const std::int64_t> numbers, std::string_view separator);
// digits: significant ones, as by %g; 0: as many as read back to the same bits.
std::string join(std::span<const double> numbers, std::string_view separator, int digits = 0);

}  // namespace meander
