// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The meshes that are measured.

#include <string>

namespace meander::bench {

// The tables [solver] and [scenario] of a scheme: rusanov, muscl, muscl-LIMITER (Euler), ccz4-SCHEME, and
// accretion: the step of inputs/accretion-3d.toml, MUSCL with dual energy and gravity.
inline constexpr const char *self_gravity = "self-gravity", *without_gravity = "self-gravity-none";
std::string terms_of(const std::string& scheme, int dim);

struct Case {
  std::string scheme;  // terms_of()
  int patch_size;
  bool adaptive;
};

// Updates of volumes in a repeat: a second or some of them.
inline double updates_of_repeat(const std::string& scheme) {
  return scheme.starts_with("ccz4-") ? 5e5 : 2e7;
}

// Input for `copies` identical cubes in a row, each of about `volumes` volumes.
std::string input_for(const Case& c, int dim, double volumes, int copies = 1);

}  // namespace meander::bench
