// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/provenance.hpp"

#include <fmt/format.h>

#include "meander_build_facts.hpp"

namespace meander::io {

std::string Provenance::line() const {
  return fmt::format("meander {} ({}{}), {}, {}, {}", version, git_hash.substr(0, 10),
                     modified ? ", modified" : "", compiler, build_type, architecture);
}

const Provenance& provenance() {
  static const Provenance facts{build_facts::version,   build_facts::git_hash, build_facts::modified,
                                build_facts::compiler,  build_facts::options,  build_facts::architecture,
                                build_facts::build_type};
  return facts;
}

}  // namespace meander::io
