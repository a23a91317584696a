// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists of types. The allowed words of the input and the dispatch to kernels both follow from them.

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace meander::solvers {

template <class... Entries>
struct List {
  static constexpr int size = sizeof...(Entries);
};

// Calls body(std::type_identity<Entry>()) for the entry with that index. Throws std::logic_error if there is
// none: no entry is a fallback for another.
template <class... Entries, class Body>
void with_entry(List<Entries...>, int index, const Body& body) {
  int next = 0;
  const bool found = ((next++ == index ? (body(std::type_identity<Entries>()), true) : false) || ...);
  if (!found) throw std::logic_error("a list of schemes has no entry " + std::to_string(index));
}

// Entry::word and Entry::meaning of all entries.
template <class... Entries>
std::vector<std::string> words(List<Entries...>) {
  return {Entries::word...};
}
template <class... Entries>
std::vector<std::string> meanings(List<Entries...>) {
  return {Entries::meaning...};
}

}  // namespace meander::solvers
