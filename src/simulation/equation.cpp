// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/equation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace meander::simulation {

namespace {

// "minmod: the smaller difference; mc: ..."
std::string explained(const std::vector<std::string>& words, const std::vector<std::string>& meanings) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", words[i], meanings[i]);
  return text;
}

}  // namespace

FormulaFields Equation::formula_fields(int dim) const {
  FormulaFields result;
  const std::vector<std::string> unknowns = make_solver(dim)->traits().unknown_names;
  for (std::string name : unknowns) {
    std::ranges::replace(name, '_', '-');
    result.fields.push_back({name, "the unknown"});
  }
  const std::size_t count = result.fields.size();
  result.unknowns = [count](const double* values, double* q) { std::copy_n(values, count, q); };
  return result;
}

void describe_scheme(io::KeyTable& keys, solvers::SchemeWords& words,
                     const solvers::SchemeVocabulary& vocabulary) {
  keys.choice("scheme", words.scheme, vocabulary.schemes,
              fmt::format("Scheme. {}.", explained(vocabulary.schemes, vocabulary.scheme_meanings)));
  if (vocabulary.riemanns.size() > 1) {
    keys.choice(
        "riemann", words.riemann, vocabulary.riemanns,
        fmt::format("Riemann solver. {}.", explained(vocabulary.riemanns, vocabulary.riemann_meanings)));
  }
  if (!vocabulary.limiters.empty()) {
    keys.choice("limiter", words.limiter, vocabulary.limiters,
                fmt::format("Slope limiter of muscl. {}.",
                            explained(vocabulary.limiters, vocabulary.limiter_meanings)));
  }
}

void check_scheme(const io::KeyTable& keys, const solvers::SchemeWords& words) {
  if (words.scheme != "rusanov" || words.riemann == "rusanov") return;
  keys.reject(
      keys.was_given("riemann") ? "riemann" : "scheme",
      fmt::format("scheme = \"rusanov\" is \"godunov\" with riemann = \"rusanov\", but riemann is \"{}\"",
                  words.riemann));
}

}  // namespace meander::simulation
