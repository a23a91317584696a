// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Errors of the calling code that a memory resource detects in functions that cannot throw. They are reported
// to a handler.

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/resource.hpp"

namespace meander::gpu {

// foreign: the pointer is not a block of the resource (it belongs to another one, or was already released to
// the device). interior: the pointer is inside a block, but not at its begin. leak: the block is live when
// the resource is destroyed. overrun: memory behind the block was written (emulated devices only).
enum class Misuse : std::uint8_t { double_free, foreign, interior, wrong_size, leak, overrun };

struct MisuseReport {
  Misuse kind;
  const void* pointer;
  std::size_t bytes;     // argument of the caller; leak: sum over all leaked blocks
  std::size_t expected;  // bytes of the block found; leak: number of leaked blocks
  Place place;
  std::string message() const;
};

// Called on the thread that made the error. A handler must not throw, because noexcept functions call it. If
// it returns, the deallocation is ignored; leaked blocks are released.
using MisuseHandler = void (*)(const MisuseReport&);

// Sets the handler of the process and returns the previous one. The default handler logs the message and
// aborts; null restores it. Thread-safe.
MisuseHandler set_misuse_handler(MisuseHandler handler);
void report_misuse(const MisuseReport& report) noexcept;

}  // namespace meander::gpu
