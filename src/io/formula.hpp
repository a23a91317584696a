// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Formulas of the input file: their language, and their evaluation.
//
// A formula is an expression of numbers, names, + - * / ^, comparisons, && || !, brackets, `c ? a : b`, and functions of
// C's math.h. It has no assignments, no loops and no text, so that it can neither open a file nor run for ever. One file,
// formula.cpp, knows the parser (muParser).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/key_table.hpp"

namespace meander::io {

// Names that an input gives to numbers and to formulas. Each expression may contain variables, constants, and expressions
// before it, and is valid.
struct FormulaDefinitions {
  std::vector<std::pair<std::string, double>> constants = {};
  std::vector<std::pair<std::string, std::string>> expressions = {};
};

// What the text of a formula may contain beside numbers and functions.
struct FormulaNames {
  std::vector<std::string> variables;                          // at most 32; the last one is the time
  std::vector<std::pair<std::string, double>> constants = {};  // `pi` is one always
  // Names that one may expect, and why they have no meaning: "z", "the domain has 2 dimensions".
  std::vector<std::pair<std::string, std::string>> absent = {};
  // Points have this many. Formulas that read fewer variables of place keep values of arguments that come again.
  int coordinates = 0;
  std::vector<std::pair<std::string, std::string>> expressions = {};  // as in FormulaDefinitions
};

class FormulaError : public std::runtime_error {
 public:
  FormulaError(const std::string& what, std::size_t position)
      : std::runtime_error(what), position_(position) {}
  std::size_t position() const { return position_; }  // of the first wrong byte in the formula

 private:
  std::size_t position_;
};

// A compiled formula. An object serves one thread at a time; another thread compiles its own.
class Formula {
 public:
  static constexpr std::size_t most_bytes = 4096;

  // Throws FormulaError.
  Formula(const std::string& text, const FormulaNames& names);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  // One value for each variable. Division by zero gives an infinity, and what is undefined NaN.
  double value(const double* variables) const { return used_ == 0 ? constant_ : evaluate(variables); }
  // Bit i: the formula, or an expression in it, reads variable i.
  std::uint32_t used() const { return used_; }

 private:
  double evaluate(const double* variables) const;

  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::uint32_t used_ = 0;
  double constant_ = 0;  // the value of a formula without variables
};

// Throws FormulaError if a constant or an expression must not have this name.
void check_new_name(const std::string& name, const FormulaNames& taken);

// Compiles a formula of the input. Throws InputError with its place in file and formula. `name`: as below.
Formula compile(const std::string& name, const FormulaText& formula, const FormulaNames& names);
// Throws InputError about a formula as a whole. `name`: of the key.
[[noreturn]] void reject(const std::string& name, const FormulaText& formula, const std::string& why);
// "must be finite, but is inf".
std::string not_finite(double value);

// Formulas of the input that several threads evaluate at once.
class FormulaList {
 public:
  explicit FormulaList(FormulaNames names);

  // Compiles a formula, as above; returns its number. Before any evaluation.
  std::size_t add(const std::string& name, const FormulaText& formula);
  // The compiled formulas of the calling thread, in order; valid in this thread while the list exists.
  const std::vector<Formula>& compiled() const;

  struct Given {
    std::string name;
    FormulaText text;
    std::uint32_t used = 0;  // variables
  };
  const Given& given(std::size_t formula) const { return source_->formulas[formula]; }

 private:
  struct Source {
    FormulaNames names;
    std::vector<Given> formulas;
  };
  std::shared_ptr<Source> source_;
};

// Functions in formulas, for documentation.
std::span<const std::string> formula_functions();

}  // namespace meander::io
