// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/scheme_words.hpp"

#include <algorithm>

namespace meander::solvers {
namespace {

int index_of(const std::string& word, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw std::logic_error("no list of schemes has the word '" + word + "'");
  return static_cast<int>(found - words.begin());
}

}  // namespace

SchemeChoice choice_of(const SchemeWords& words, const SchemeVocabulary& vocabulary) {
  SchemeChoice choice;
  index_of(words.scheme, vocabulary.schemes);
  for (const ReconstructionEntry& entry : reconstructions) {
    if (words.scheme == entry.word) choice.reconstruction = entry.reconstruction;
  }
  if (choice.reconstruction == Reconstruction::muscl)
    choice.limiter = index_of(words.limiter, vocabulary.limiters);
  choice.riemann = index_of(words.riemann, vocabulary.riemanns);
  return choice;
}

std::string scheme_name(const SchemeChoice& choice, const SchemeVocabulary& vocabulary) {
  const std::string& riemann = vocabulary.riemanns.at(static_cast<std::size_t>(choice.riemann));
  if (choice.reconstruction == Reconstruction::constant) return riemann;
  std::string name;
  for (const ReconstructionEntry& entry : reconstructions) {
    if (entry.reconstruction == choice.reconstruction) name = entry.word;
  }
  if (choice.reconstruction != Reconstruction::muscl) {
    std::ranges::replace(name, '-', ' ');
    return name;
  }
  name += ' ' + vocabulary.limiters.at(static_cast<std::size_t>(choice.limiter));
  return choice.riemann == 0 ? name : name + ' ' + riemann;
}

}  // namespace meander::solvers
