// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Check of the instruction set extensions that the program was compiled with. It runs before anything else,
// so that a missing extension gives a message instead of SIGILL.

namespace meander {

// One bit per feature, in the order of the table in cpu_check.cpp; set if the compiler was allowed to use the
// feature.
extern const unsigned compiled_cpu_features;

// Writes the names of the features in `needed` that this processor lacks to `names`, separated by ", ", at
// most `size` - 1 characters. Returns the number of missing features. Runs on any x86-64 processor, also
// before static initialisation.
int missing_cpu_features(unsigned needed, char* names, int size);

// Ends the process with exit code 1 and a message if a compiled feature is missing.
void require_cpu_features();

}  // namespace meander
