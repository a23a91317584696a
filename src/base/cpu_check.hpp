// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Does this processor have the instructions that the program was compiled with? Asked before anything else
// runs, a missing one gives a sentence instead of SIGILL.

namespace meander {

// One bit a feature, in the order of the table in cpu_check.cpp. Set where the compiler was allowed to use
// it.
extern const unsigned compiled_cpu_features;

// Writes the names of the features in `needed` that this processor lacks to `names`, separated by ", ", at
// most `size` - 1 characters; returns how many are missing. Runs on any x86-64 processor, before static
// initialisation too.
int missing_cpu_features(unsigned needed, char* names, int size);

// Ends the process with exit code 1 and a message if a compiled feature is missing.
void require_cpu_features();

}  // namespace meander
