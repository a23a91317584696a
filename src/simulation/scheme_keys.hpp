// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The keys scheme, limiter and riemann of [solver], from an equation's list of schemes.

#include "io/key_table.hpp"
#include "solvers/scheme_words.hpp"

namespace meander::simulation {

// Declares the keys with a choice in the vocabulary. Their targets are in `words`.
void describe_scheme(io::KeyTable& keys, solvers::SchemeWords& words,
                     const solvers::SchemeVocabulary& vocabulary);
// Rejects contradictory values: "rusanov" is "godunov" with the Riemann solver of that name.
void check_scheme(const io::KeyTable& keys, const solvers::SchemeWords& words);

}  // namespace meander::simulation
