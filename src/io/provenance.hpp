// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Version, commit, compiler and options of this build, for outputs, logs and --version.

#include <string>

namespace meander::io {

struct Provenance {
  std::string version;       // "0.1.0"
  std::string git_hash;      // 40 hex digits; "unknown" outside a checkout
  bool modified = false;     // the checkout differed from that commit
  std::string compiler;      // "GNU 12.2.0"
  std::string options;       // compiler options of the build
  std::string architecture;  // MEANDER_ARCH: "native", "x86-64-v3"
  std::string build_type;    // "Release"

  // "meander 0.1.0 (4f2a91c03b, modified), GNU 12.2.0, Release, native"
  std::string line() const;
};

const Provenance& provenance();

}  // namespace meander::io
