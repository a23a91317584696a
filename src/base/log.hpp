// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a program tells its user while it runs, on standard error. Callable from any thread. No format library
// shows here, so that device code may include it.

#include <cstdint>
#include <string_view>

namespace meander::log {

enum class Level : std::uint8_t { debug, info, warning, error, off };

// Messages below it are dropped. At first: info.
void set_level(Level level);

void debug(std::string_view message);
void info(std::string_view message);
void warning(std::string_view message);
void error(std::string_view message);

// Begins every message with it: "rank 3: ", for processes that are not the one users listen to.
void set_prefix(std::string_view prefix);

// True if standard error is a terminal.
bool on_terminal();

// Shows one line at the foot of the terminal, in place of the last such line; messages scroll above it. ""
// takes it away. Does nothing where standard error is no terminal.
void live_line(std::string_view text);

}  // namespace meander::log
