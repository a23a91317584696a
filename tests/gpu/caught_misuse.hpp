// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Collects reports of misuse instead of aborting, during its lifetime.

#include <mutex>
#include <vector>

#include "gpu/misuse.hpp"

namespace meander::gpu::test {

class CaughtMisuse {
 public:
  CaughtMisuse() : before_(set_misuse_handler(&CaughtMisuse::note)) { reports().clear(); }
  ~CaughtMisuse() { set_misuse_handler(before_); }

  static std::vector<MisuseReport>& reports() {
    static std::vector<MisuseReport> all;
    return all;
  }
  // Kinds of the reports so far, in order. Clears them.
  static std::vector<Misuse> kinds() {
    std::vector<Misuse> result;
    for (const MisuseReport& report : reports()) result.push_back(report.kind);
    reports().clear();
    return result;
  }

 private:
  static void note(const MisuseReport& report) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    reports().push_back(report);
  }
  MisuseHandler before_;
};

}  // namespace meander::gpu::test
