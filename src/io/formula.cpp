// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The only file that includes muParser.
#include "io/formula.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <numbers>

#include "base/printable.hpp"
#include "io/nearest.hpp"

namespace meander::io {

namespace {

using One = double (*)(double);
using Two = double (*)(double, double);
using Three = double (*)(double, double, double);

constexpr std::pair<const char*, One> functions_of_one[] = {
    {"sin", std::sin},
    {"cos", std::cos},
    {"tan", std::tan},
    {"asin", std::asin},
    {"acos", std::acos},
    {"atan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"asinh", std::asinh},
    {"acosh", std::acosh},
    {"atanh", std::atanh},
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"log", std::log},
    {"log2", std::log2},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"sqrt", std::sqrt},
    {"cbrt", std::cbrt},
    {"abs", std::fabs},
    {"floor", std::floor},
    {"ceil", std::ceil},
    {"round", std::round},
    {"trunc", std::trunc},
    {"erf", std::erf},
    {"erfc", std::erfc},
    {"tgamma", std::tgamma},
    {"j0", [](double x) { return ::j0(x); }},
    {"j1", [](double x) { return ::j1(x); }},
    {"sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : 0.0; }},
};
constexpr std::pair<const char*, Two> functions_of_two[] = {
    {"atan2", std::atan2}, {"pow", std::pow},  {"hypot", std::hypot},
    {"mod", std::fmod},    {"min", std::fmin}, {"max", std::fmax},
};
// All three arguments are evaluated: what is not taken may be NaN.
constexpr std::pair<const char*, Three> functions_of_three[] = {
    {"if", [](double condition, double then, double otherwise) { return condition != 0 ? then : otherwise; }},
};

// Words of other languages, and what a formula has in their place.
constexpr std::pair<const char*, const char*> foreign_words[] = {
    {"ln", "log"}, {"fabs", "abs"}, {"and", "&&"}, {"or", "||"},
    {"not", "!"},  {"e", "exp(1)"}, {"sqr", "^2"}};
constexpr std::pair<std::string_view, const char*> foreign_operators[] = {
    {"**", "a power is written '^'"},
    {"%", "a remainder is written 'mod(a, b)'"},
    {"&", "'and' is written '&&'"},
    {"|", "'or' is written '||'"}};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string name_at(const std::string& text, std::size_t at) {
  if (at >= text.size() || !begins_name(text[at])) return "";
  std::size_t end = at + 1;
  while (end < text.size() && continues_name(text[end])) ++end;
  return text.substr(at, end - at);
}

constexpr std::size_t most_listed = 100;  // known names in a message

std::vector<std::string> known_names(const FormulaNames& names) {
  std::vector<std::string> all = names.variables;
  all.emplace_back("pi");
  for (const auto& [name, value] : names.constants) all.push_back(name);
  for (const auto& [name, text] : names.expressions) all.push_back(name);
  all.insert(all.end(), formula_functions().begin(), formula_functions().end());
  return all;
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string name = name_at(text, at);
    if (name.empty()) continue;
    at += name.size() - 1;
    names.push_back(std::move(name));
  }
  return names;
}

// What the parser would accept, but no formula of the input means: assignments and text.
void check_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], before = i > 0 ? text[i - 1] : ' ',
               after = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '=' && after != '=' && std::string_view("=<>!").find(before) == std::string_view::npos)
      throw FormulaError("'=' assigns, which a formula does not; a comparison is written '=='", i);
    if (c == '"' || c == '\'') throw FormulaError("a formula contains no text", i);
    if ((c == '&' || c == '|') && after == c) {
      ++i;
      continue;
    }
    for (const auto& [foreign, own] : foreign_operators) {
      if (text.compare(i, foreign.size(), foreign) == 0)
        throw FormulaError(fmt::format("unexpected operator '{}': {}", foreign, own), i);
    }
  }
}

// The first comma outside all brackets.
std::size_t outer_comma(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) return i;
  }
  return 0;
}

// The last bracket that nothing closes.
std::size_t open_bracket(const std::string& text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') open.push_back(i);
    if (text[i] == ')' && !open.empty()) open.pop_back();
  }
  return open.empty() ? text.size() : open.back();
}

// The last occurrence of a name as a whole before a position.
std::size_t last_use(const std::string& text, const std::string& name, std::size_t before) {
  for (std::size_t at = std::min(before, text.size()); at-- > 0;) {
    if (name_at(text, at) == name && (at == 0 || !continues_name(text[at - 1]))) return at;
  }
  return before;
}

// Why a name has no meaning, or the name to use: ": the domain has 2 dimensions", "; did you mean 'log'?".
std::string explained_name(const std::string& name, const FormulaNames& names) {
  for (const auto& [absent, why] : names.absent) {
    if (name == absent) return ": " + why;
  }
  for (const auto& [foreign, own] : foreign_words) {
    if (name == foreign) return fmt::format("; did you mean '{}'?", own);
  }
  const std::vector<std::string> known = known_names(names);
  FormulaNames listed = names;
  if (nearest(name, known).empty() && known.size() > most_listed) listed.constants.clear();
  return suggestion(name, known_names(listed), "known names are");
}

// The character of one or more bytes that begins at a position.
std::string character_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) ++end;
  return text.substr(at, end - at);
}

[[noreturn]] void explain(const mu::ParserError& error, const std::string& text, const FormulaNames& names) {
  const std::size_t at = error.GetPos() < 0
                             ? text.size()
                             : std::min<std::size_t>(static_cast<std::size_t>(error.GetPos()), text.size());
  const std::string name = name_at(text, at);
  const auto fail = [](const std::string& what, std::size_t position) -> void {
    throw FormulaError(what, position);
  };
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: {
      const auto functions = formula_functions();
      if (std::ranges::find(functions, name) != functions.end())
        fail(fmt::format("function '{}' needs its arguments in brackets", name), at);
      if (!name.empty()) {
        const bool called =
            text.find_first_not_of(' ', at + name.size()) == text.find('(', at + name.size()) &&
            text.find('(', at) != std::string::npos;
        fail(
            fmt::format("unknown {} '{}'{}", called ? "function" : "name", name, explained_name(name, names)),
            at);
      }
      if (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0)
        fail(std::isinf(std::strtod(text.c_str() + at, nullptr)) ? "a number out of range"
                                                                 : "an incomplete number",
             at);
      fail(at < text.size() ? fmt::format("unexpected '{}'", printable(character_at(text, at)))
                            : "the formula is not complete",
           at);
      break;
    }
    case mu::ecUNEXPECTED_OPERATOR: {
      const std::size_t found = text.rfind(error.GetToken(), at);  // the parser may point after it
      fail(fmt::format("unexpected operator '{}'", error.GetToken()),
           found == std::string::npos ? at : found);
      break;
    }
    case mu::ecUNEXPECTED_EOF:
      fail("the formula is not complete", text.size());
      break;
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG:
      fail("unexpected ','", text.rfind(',', at) == std::string::npos ? at : text.rfind(',', at));
      break;
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_FUN:
      fail(fmt::format("'{}' without an operator before it", error.GetToken()), at);
      break;
    case mu::ecUNEXPECTED_PARENS:
      fail(fmt::format("unexpected '{}'", error.GetToken()), at);
      break;
    case mu::ecMISSING_PARENS:
      fail("a bracket is not closed", open_bracket(text));
      break;
    case mu::ecTOO_MANY_PARAMS:
      fail(fmt::format("too many arguments for function '{}'", error.GetToken()),
           last_use(text, error.GetToken(), at));
      break;
    case mu::ecTOO_FEW_PARAMS:
      fail(fmt::format("too few arguments for function '{}'", error.GetToken()),
           last_use(text, error.GetToken(), at));
      break;
    case mu::ecMISSING_ELSE_CLAUSE:
      fail("a '?' without its ':'", text.rfind('?') == std::string::npos ? at : text.rfind('?'));
      break;
    case mu::ecMISPLACED_COLON:
      fail("a ':' without its '?'", text.find(':') == std::string::npos ? at : text.find(':'));
      break;
    default:
      break;
  }
  throw FormulaError(fmt::format("cannot be read: {}", printable(error.GetMsg())), at);
}

// The formula with squares of brackets as calls of a function: the parser's power takes several times as long. It
// multiplies itself for squares of variables. `formula` has no mistakes.
constexpr const char* square = "_square";
std::string with_squares(const std::string& formula) {
  constexpr const char* blanks = " \t\r\n";
  std::string text = formula;
  for (std::size_t at = 0; (at = text.find('^', at)) != std::string::npos; ++at) {
    const std::size_t two = text.find_first_not_of(blanks, at + 1),
                      close = text.find_last_not_of(blanks, at - 1);
    const std::size_t next = text.find_first_not_of(blanks, two + 1);
    const char after = two + 1 < text.size() ? text[two + 1] : ' ';
    if (text[two] != '2' || continues_name(after) || after == '.' || text[close] != ')') continue;
    if (next != std::string::npos && text[next] == '^') continue;  // it groups from the right
    std::size_t begin = close;
    for (int depth = 1; depth > 0;) depth += text[--begin] == ')' ? 1 : text[begin] == '(' ? -1 : 0;
    while (begin > 0 && continues_name(text[begin - 1])) --begin;  // the name of a function
    text = fmt::format("{}{}({}){}", text.substr(0, begin), square, text.substr(begin, close + 1 - begin),
                       text.substr(two + 1));
    at = begin;
  }
  return text;
}

}  // namespace

std::span<const std::string> formula_functions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_of_one) names.emplace_back(name);
    for (const auto& [name, function] : functions_of_two) names.emplace_back(name);
    for (const auto& [name, function] : functions_of_three) names.emplace_back(name);
    return names;
  }();
  return all;
}

struct Formula::Parser {
  mu::Parser parser;
  // Those of FormulaNames, then the values of its expressions.
  std::vector<double> variables;
  struct Expression {
    std::size_t variable = 0;
    mu::Parser parser;
  };
  std::deque<Expression> expressions;  // that the formula needs

  // Values by the bits of the variables that the formula reads, for arguments that come again; empty: none are kept.
  struct Kept {
    std::array<std::uint64_t, 3> arguments;  // two of place, and the time
    double value;
  };
  static constexpr std::size_t most_kept = 4096;
  std::vector<Kept> kept;
  std::vector<std::size_t> read;  // these variables

  double kept_value(const double* from) {
    Kept wanted = {};
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
      wanted.arguments[i] = std::bit_cast<std::uint64_t>(from[read[i]]);
      hash = (hash ^ wanted.arguments[i]) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    Kept& found = kept[hash % most_kept];
    const auto &a = found.arguments, &b = wanted.arguments;
    if (((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) != 0) {
      wanted.value = evaluate(from);
      found = wanted;
    }
    return found.value;
  }
  double evaluate(const double* from) {
    for (const std::size_t i : read) variables[i] = from[i];
    for (Expression& expression : expressions) variables[expression.variable] = expression.parser.Eval();
    return parser.Eval();
  }

  // Sets up a parser for a text that may contain the first expressions. Throws FormulaError.
  void set_up(mu::Parser& of_text, const std::string& text, const FormulaNames& names, std::size_t usable);
};

void Formula::Parser::set_up(mu::Parser& of_text, const std::string& text, const FormulaNames& names,
                             std::size_t usable) {
  try {
    of_text.ClearConst();
    of_text.ClearFun();
    for (const auto& [name, function] : functions_of_one) of_text.DefineFun(name, function);
    for (const auto& [name, function] : functions_of_two) of_text.DefineFun(name, function);
    for (const auto& [name, function] : functions_of_three) of_text.DefineFun(name, function);
    of_text.DefineInfixOprt("!", [](double x) { return x == 0 ? 1.0 : 0.0; });
    of_text.DefineConst("pi", std::numbers::pi);
    for (const std::string& name : names_in(text)) {  // there may be thousands of other constants
      const auto constant = std::ranges::find(names.constants, name, &std::pair<std::string, double>::first);
      if (constant != names.constants.end()) of_text.DefineConst(name, constant->second);
    }
    for (std::size_t i = 0; i < names.variables.size(); ++i)
      of_text.DefineVar(names.variables[i], &variables[i]);
    for (std::size_t i = 0; i < usable; ++i)
      of_text.DefineVar(names.expressions[i].first, &variables[names.variables.size() + i]);
    // The optimizer takes the whole parts of two constants beside && or ||.
    of_text.EnableOptimizer(text.find("&&") == std::string::npos && text.find("||") == std::string::npos);
    of_text.SetExpr(text);
    of_text.Eval();
  } catch (const mu::ParserError& error) {
    explain(error, text, names);
  }
  if (of_text.GetNumResults() != 1)
    throw FormulaError("a ',' outside of a function's arguments", outer_comma(text));
}

Formula::Formula(const std::string& text, const FormulaNames& names) : parser_(std::make_unique<Parser>()) {
  if (text.size() > most_bytes)
    throw FormulaError(
        fmt::format("the formula has {} characters; at most {} are possible", text.size(), most_bytes), 0);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw FormulaError("the formula is empty", 0);
  check_characters(text);
  const std::size_t variables = names.variables.size(), expressions = names.expressions.size();
  parser_->variables.assign(variables + expressions, 0.0);
  // Which variables and expressions the formula reads, also through expressions.
  std::vector<char> reads(variables + expressions, 0);
  const auto add_reads = [&](mu::Parser& parser) {
    for (const auto& [name, variable] : parser.GetUsedVar())
      reads[static_cast<std::size_t>(variable - parser_->variables.data())] = 1;
  };
  const auto finish = [](mu::Parser& parser, const std::string& of) {
    parser.DefineFun(square, [](double x) { return x * x; });
    parser.SetExpr(with_squares(of));
  };
  parser_->set_up(parser_->parser, text, names, expressions);
  add_reads(parser_->parser);
  finish(parser_->parser, text);
  for (std::size_t e = expressions; e-- > 0;) {
    if (reads[variables + e] == 0) continue;
    const std::string& of = names.expressions[e].second;
    Parser::Expression& added = parser_->expressions.emplace_front();
    added.variable = variables + e;
    mu::Parser& parser = added.parser;
    parser_->set_up(parser, of, names, e);
    add_reads(parser);
    finish(parser, of);
  }
  for (std::size_t i = 0; i < variables; ++i) {
    if (reads[i] == 0) continue;
    used_ |= 1u << i;
    parser_->read.push_back(i);
  }
  if (used_ == 0) {
    constant_ = parser_->evaluate(nullptr);
    return;
  }
  // The last variable is the time, which many points share.
  const std::uint32_t of_place = used_ & ~(1u << (names.variables.size() - 1));
  if (std::popcount(of_place) < names.coordinates)
    parser_->kept.assign(Parser::most_kept, {{~0ull, ~0ull, ~0ull}, std::nan("")});
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::evaluate(const double* variables) const {
  return parser_->kept.empty() ? parser_->evaluate(variables) : parser_->kept_value(variables);
}

void check_new_name(const std::string& name, const FormulaNames& taken) {
  if (name.empty() || name_at(name, 0) != name)
    throw FormulaError("is no name: letters, digits and '_', and no digit first", 0);
  const auto functions = formula_functions();
  if (name == "pi" || std::ranges::find(taken.variables, name) != taken.variables.end() ||
      std::ranges::find(functions, name) != functions.end() ||
      std::ranges::find(taken.constants, name, &std::pair<std::string, double>::first) !=
          taken.constants.end() ||
      std::ranges::find(taken.expressions, name, &std::pair<std::string, std::string>::first) !=
          taken.expressions.end())
    throw FormulaError(
        "has a meaning already: it is a variable, a constant, an expression or a function of formulas", 0);
}

namespace {

constexpr std::size_t most_of_formula = 60;  // bytes of a long formula on either side of a position

// Characters in UTF-8: bytes that do not continue one.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// The position in words, and the line of the formula with a caret below it.
struct Place {
  std::string words, excerpt;
};
Place place_in(const std::string& text, std::size_t position) {
  const std::size_t first = text.rfind('\n', position == 0 ? 0 : position - 1);
  const std::size_t begin = position == 0 || first == std::string::npos ? 0 : first + 1;
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t lines = static_cast<std::size_t>(std::ranges::count(text, '\n')),
                    number = static_cast<std::size_t>(
                        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  position -= begin;
  Place place;
  place.words = fmt::format("column {} of the formula", characters(line.substr(0, position)) + 1);
  if (lines > 0) place.words = fmt::format("line {}, ", number + 1) + place.words;
  std::ranges::replace(line, '\t', ' ');
  if (line.ends_with('\r')) line.pop_back();
  const std::size_t from = position > most_of_formula ? position - most_of_formula : 0;
  const std::string before = (from > 0 ? "..." : "") + printable(line.substr(from, position - from));
  const std::string after = position < line.size() ? printable(line.substr(position, most_of_formula)) : "";
  place.excerpt =
      fmt::format("\n  formula: {}{}\n           {}^", before, after, std::string(characters(before), ' '));
  return place;
}

std::string message(const std::string& name, const FormulaText& formula, const std::string& why) {
  const std::string& where = formula.origin.where;
  return printable(fmt::format("{}{}{}: {}", where, where.empty() ? "" : ": ", name, why), Lines::join) +
         formula.origin.excerpt;
}

}  // namespace

void reject(const std::string& name, const FormulaText& formula, const std::string& why) {
  throw InputError(message(name, formula, why));
}

// The sign of a NaN has no meaning, and fmt would print it.
std::string not_finite(double value) {
  return fmt::format("must be finite, but is {}", std::isnan(value) ? std::abs(value) : value);
}

Formula compile(const std::string& name, const FormulaText& formula, const FormulaNames& names) {
  try {
    return {formula.text, names};
  } catch (const FormulaError& error) {
    const Place place = place_in(formula.text, std::min(error.position(), formula.text.size()));
    throw InputError(message(name, formula, fmt::format("{}: {}", place.words, error.what())) +
                     place.excerpt);
  }
}

FormulaList::FormulaList(FormulaNames names) : source_(std::make_shared<Source>()) {
  source_->names = std::move(names);
}

std::size_t FormulaList::add(const std::string& name, const FormulaText& formula) {
  const Formula checked = compile(name, formula, source_->names);
  source_->formulas.push_back({name, formula, checked.used()});
  return source_->formulas.size() - 1;
}

// A compiled formula keeps its variables, so each thread has its own.
const std::vector<Formula>& FormulaList::compiled() const {
  struct Kept {
    std::weak_ptr<Source> source;
    const Source* address;
    std::vector<Formula> formulas;
  };
  thread_local std::vector<Kept> kept;
  for (const Kept& one : kept) {
    if (one.address == source_.get() && !one.source.expired()) return one.formulas;
  }
  std::erase_if(kept, [](const Kept& one) { return one.source.expired(); });
  Kept& added = kept.emplace_back(Kept{source_, source_.get(), {}});
  for (const Given& given : source_->formulas) added.formulas.emplace_back(given.text.text, source_->names);
  return added.formulas;
}

}  // namespace meander::io
