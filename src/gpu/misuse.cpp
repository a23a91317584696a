// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/misuse.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "base/log.hpp"

namespace meander::gpu {

namespace {

void log_and_abort(const MisuseReport& report) {
  log::error(report.message());
  std::abort();
}

std::atomic<MisuseHandler> handler{log_and_abort};

}  // namespace

std::string MisuseReport::message() const {
  const std::string where = fmt::format("{} memory of device {}", name(place.space), place.device);
  switch (kind) {
    case Misuse::double_free:
      return fmt::format("double free of {} ({} bytes, {})", pointer, bytes, where);
    case Misuse::foreign:
      return fmt::format("free of {} ({} bytes), which is not a block of this {} or was already released",
                         pointer, bytes, where);
    case Misuse::interior:
      return fmt::format("free of {} ({} bytes), which is within a block of {} bytes ({})", pointer, bytes,
                         expected, where);
    case Misuse::wrong_size:
      return fmt::format("free of {} as {} bytes, but it was allocated as {} ({})", pointer, bytes, expected,
                         where);
    case Misuse::leak:
      return fmt::format("{} blocks with {} bytes were never freed, the first at {} ({})", expected, bytes,
                         pointer, where);
    case Misuse::overrun:
      return fmt::format("memory behind the block of {} bytes at {} was overwritten ({})", bytes, pointer,
                         where);
  }
  return {};
}

MisuseHandler set_misuse_handler(MisuseHandler replacement) {
  return handler.exchange(replacement == nullptr ? log_and_abort : replacement);
}

void report_misuse(const MisuseReport& report) noexcept {
  handler.load()(report);
}

}  // namespace meander::gpu
