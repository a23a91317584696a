// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks the processor before the initialisation of any other file, which may use instructions it lacks.
#include "first.hpp"

#include "base/cpu_check.hpp"

namespace {

constexpr int before_all_others = 101;  // the first priority that is not reserved for the compiler

[[gnu::constructor(before_all_others)]] void first() {
  meander::require_cpu_features();
}

}  // namespace

void meander::app::keep_first() {}
