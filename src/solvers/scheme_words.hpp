// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schemes of an equation by their words in the input file.

#include <string>
#include <vector>

#include "solvers/scheme.hpp"

namespace meander::solvers {

// A scheme by words: solver.scheme, solver.limiter, solver.riemann.
struct SchemeWords {
  std::string scheme = "godunov", limiter = "mc", riemann = "rusanov";
};

// The allowed words and their meanings, in the same order.
struct SchemeVocabulary {
  std::vector<std::string> schemes, scheme_meanings, limiters, limiter_meanings, riemanns, riemann_meanings;
};

template <Pde P>
SchemeVocabulary vocabulary() {
  using RiemannSolvers = typename RiemannSolversOf<P>::type;
  SchemeVocabulary all;
  for (const ReconstructionEntry& entry : reconstructions) {
    if (!has_reconstruction<P>(entry.reconstruction)) continue;
    all.schemes.emplace_back(entry.word);
    all.scheme_meanings.emplace_back(entry.meaning);
  }
  all.riemanns = words(RiemannSolvers());
  all.riemann_meanings = meanings(RiemannSolvers());
  if constexpr (Reconstructible<P>) {
    all.limiters = words(Limiters());
    all.limiter_meanings = meanings(Limiters());
  }
  return all;
}

// Throws std::logic_error for words that are not in the vocabulary.
SchemeChoice choice_of(const SchemeWords& words, const SchemeVocabulary& vocabulary);
template <Pde P>
SchemeChoice choice_of(const SchemeWords& words) {
  return choice_of(words, vocabulary<P>());
}

// "rusanov", "hllc", "muscl mc", "muscl mc hllc", "fourth order": for Traits::name.
std::string scheme_name(const SchemeChoice& choice, const SchemeVocabulary& vocabulary);

}  // namespace meander::solvers
