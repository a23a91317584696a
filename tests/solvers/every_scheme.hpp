// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Every scheme of an equation's list, so that tests include each entry that is added.

#include <algorithm>
#include <string>
#include <vector>

#include "solvers/scheme_words.hpp"

namespace meander::solvers::test {

template <Pde P>
std::vector<SchemeWords> every_scheme() {
  const SchemeVocabulary vocabulary = solvers::vocabulary<P>();
  std::vector<SchemeWords> all;
  for (const std::string& riemann : vocabulary.riemanns) {
    all.push_back({"godunov", "mc", riemann});
    for (const std::string& limiter : vocabulary.limiters) all.push_back({"muscl", limiter, riemann});
  }
  return all;
}

// "muscl_mc_hllc", for names of test cases.
template <Pde P>
std::string name_of(const SchemeWords& words) {
  std::string name = scheme_name(choice_of<P>(words), solvers::vocabulary<P>());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

}  // namespace meander::solvers::test
