// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Log messages on standard error. Thread-safe. This header includes no format library, so that device code
// can include it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meander::log {

enum class Level : std::uint8_t { debug, info, warning, error, off };

// Drops messages below `level`. Initially: info.
void set_level(Level level);

void debug(std::string_view message);
void info(std::string_view message);
void warning(std::string_view message);
void error(std::string_view message);

// The warnings so far, whatever the level, without those that are equal to earlier ones; the first 100 of them.
std::vector<std::string> warnings();

// Prepends `prefix` to every message, for instance "rank 3: " on ranks other than the root.
void set_prefix(std::string_view prefix);

// True if standard error is a terminal.
bool on_terminal();

// Shows one line at the bottom of the terminal, in place of the previous such line; messages scroll above it.
// "" removes it. Has no effect if standard error is not a terminal.
void live_line(std::string_view text);

}  // namespace meander::log
