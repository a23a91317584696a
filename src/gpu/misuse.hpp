// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Errors of the calling code that a memory resource sees but cannot throw from a free. They go to a handler.

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/resource.hpp"

namespace meander::gpu {

// foreign: no block of the resource (another's, or given back to the device already). interior: into a block,
// but not its beginning. leak: still live when the resource ends.
enum class Misuse : std::uint8_t { double_free, foreign, interior, wrong_size, leak };

struct MisuseReport {
  Misuse kind;
  const void* pointer;
  std::size_t bytes;     // as given by the caller; of a leak: of all leaked blocks
  std::size_t expected;  // bytes of the block that was met; of a leak: how many blocks
  Place place;
  std::string message() const;
};

// Called on the thread that erred, by functions that do not throw: a handler must not throw either. If it
// returns, the free has not happened; leaked blocks are given back.
using MisuseHandler = void (*)(const MisuseReport&);

// Sets the process's handler and returns the one before. The default one logs the message and aborts.
MisuseHandler set_misuse_handler(MisuseHandler handler);
void report_misuse(const MisuseReport& report) noexcept;

}  // namespace meander::gpu
