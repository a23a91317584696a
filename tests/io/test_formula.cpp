// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "base/error.hpp"

namespace meander::io {
namespace {

const FormulaNames names = {
    {"x", "y", "r", "t"}, {{"gamma", 1.4}, {"u0", 0.5}}, {{"w", "it means nothing here"}}, 2};

double value(const std::string& text, double x = 0.75, double y = -0.25) {
  const double variables[] = {x, y, std::sqrt(x * x + y * y), 2};
  return Formula(text, names).value(variables);
}

TEST(FormulasQuick, HaveTheValuesOfTheirOperations) {
  const double x = 0.75, y = -0.25;
  const struct {
    const char* text;
    double value;
  } cases[] = {
      {"1", 1},
      {"-2^2", -4},
      {"2^3^2", 512},
      {"(1 + 2) * 3 - 4 / 8", 8.5},
      {"1.5e-3", 1.5e-3},
      {".5 + 5.", 5.5},
      {"x * y", x * y},
      {"x^2", x * x},
      {"(x + y)^2 + sin(x)^2 - (x)^2^2 + 3^(x)^2.0 + ((x - y) ^ 2 + 1)^2 + 2^(y)^2 + (x)^21",
       (x + y) * (x + y) + std::pow(std::sin(x), 2) - std::pow(x, 4) + std::pow(3, x * x) +
           std::pow((x - y) * (x - y) + 1, 2) + std::pow(2, y * y) + std::pow(x, 21)},
      {"pi * gamma + u0", std::numbers::pi * 1.4 + 0.5},
      {"r", std::sqrt(x * x + y * y)},
      {"t", 2},
      {"x < y", 0},
      {"x > y && x >= 0.75 && y <= -0.25 && x != y", 1},
      {"x == y || !(x == y)", 1},
      {"0.5 && 1", 1},
      {"pi && 0.25", 1},
      {"0 || u0", 1},
      {"0 && 0.5 || 0", 0},
      {"u0 && 0.5 ? y : x", y},
      {"x > 0 ? y : 1 / 0", y},
      {"if(x > 0, 1, sqrt(-1))", 1},
      {"if(x > 0, if(y > 0, 1, 2), 3)", 2},
      {"sin(x) + cos(y) * tan(x)", std::sin(x) + std::cos(y) * std::tan(x)},
      {"asin(x) + acos(y) + atan(x) + atan2(y, x)",
       std::asin(x) + std::acos(y) + std::atan(x) + std::atan2(y, x)},
      {"sinh(x) + cosh(y) + tanh(x)", std::sinh(x) + std::cosh(y) + std::tanh(x)},
      {"asinh(x) + acosh(2) + atanh(y)", std::asinh(x) + std::acosh(2.0) + std::atanh(y)},
      {"exp(x) + exp2(y) + expm1(x)", std::exp(x) + std::exp2(y) + std::expm1(x)},
      {"log(x) + log2(x) + log10(x) + log1p(x)", std::log(x) + std::log2(x) + std::log10(x) + std::log1p(x)},
      {"sqrt(x) + cbrt(y) + abs(y) + hypot(x, y)",
       std::sqrt(x) + std::cbrt(y) + std::fabs(y) + std::hypot(x, y)},
      {"floor(2.5) + 10 * ceil(2.5) + 100 * round(2.5) + 1000 * trunc(-2.5)", 2 + 30 + 300 - 2000},
      {"erf(x) + erfc(y) + tgamma(3)", std::erf(x) + std::erfc(y) + 2},
      {"j0(x) + j1(y)", ::j0(x) + ::j1(y)},
      {"sign(x) + 10 * sign(y) + 100 * sign(0)", -9},
      {"pow(x, 3) + mod(7, 4) + min(x, y) + max(x, y)", std::pow(x, 3) + 3 + y + x},
      {"  x\n + y\t", x + y},
  };
  for (const auto& one : cases) EXPECT_DOUBLE_EQ(value(one.text), one.value) << one.text;
}

TEST(FormulasQuick, GiveInfinitiesAndNaNWhereTheyAreUndefined) {
  EXPECT_EQ(value("1 / (x - x)"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("sqrt(-x)")));
  EXPECT_TRUE(std::isnan(value("log(-1)")));
}

TEST(FormulasQuick, KnowWhichVariablesTheyRead) {
  EXPECT_EQ(Formula("2 * pi", names).used(), 0u);
  EXPECT_EQ(Formula("sin(x)", names).used(), 1u);
  EXPECT_EQ(Formula("if(y > t, 1, 2)", names).used(), 0b1010u);
  EXPECT_EQ(Formula("x * r", names).used(), 0b101u);
}

// Also those that keep values of arguments that come again.
TEST(FormulasQuick, DependOnTheirArgumentsAlone) {
  for (const char* text : {"1 / x", "x + 7 * t", "r", "x * y"}) {
    const Formula formula(text, names);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (int i = 0; i < 20000; ++i) {
        const double v[] = {i % 150 - 75.0, 1.0 * (i / 150), 0.25 * i, 1.0 * (i % 7)};
        const double expected[] = {1 / v[0], v[0] + 7 * v[3], v[2], v[0] * v[1]};
        ASSERT_EQ(formula.value(v), expected[text[0] == '1'   ? 0
                                             : text[0] == 'r' ? 2
                                             : text[2] == '+' ? 1
                                                              : 3]);
      }
    }
    const double zero[] = {0.0, 1, 1, 0}, negative[] = {-0.0, 1, 1, 0};
    if (text[0] == '1') {
      EXPECT_EQ(formula.value(zero), -formula.value(negative));
    }
  }
}

struct Wrong {
  const char* text;
  std::size_t position;
  const char* what;
};

TEST(FormulasQuick, AreRefusedWithThePlaceOfTheMistake) {
  const Wrong cases[] = {
      {"", 0, "is empty"},
      {" \n", 0, "is empty"},
      {"sine(x)", 0, "unknown function 'sine'; did you mean 'sin'?"},
      {"1 + gama", 4, "unknown name 'gama'; did you mean 'gamma'?"},
      {"z", 0, "unknown name 'z'"},
      {"q(x)", 0, "unknown function 'q'"},
      {"X + 1", 0, "unknown name 'X'"},
      {"_pi", 0, "unknown name '_pi'; did you mean 'pi'?"},
      {"e", 0, "unknown name 'e'"},
      {"rnd()", 0, "unknown function 'rnd'"},
      {"sum(x, y)", 0, "unknown function 'sum'"},
      {"x and y", 2, "unknown name 'and'; did you mean '&&'?"},
      {"x or y", 2, "unknown name 'or'; did you mean '||'?"},
      {"not x", 0, "unknown name 'not'; did you mean '!'?"},
      {"ln(x)", 0, "unknown function 'ln'; did you mean 'log'?"},
      {"1 + fabs(x)", 4, "unknown function 'fabs'; did you mean 'abs'?"},
      {"w + x", 0, "unknown name 'w': it means nothing here"},
      {"sin", 0, "needs its arguments in brackets"},
      {"2 * sin x", 4, "needs its arguments in brackets"},
      {"x = 2", 2, "assigns"},
      {"x += 2", 3, "assigns"},
      {"if(x = 2, 1, 0)", 5, "assigns"},
      {"x, y", 1, "',' outside"},
      {"sin(x), 2", 6, "',' outside"},
      {"x; y", 1, "unexpected ';'"},
      {"(x", 0, "not closed"},
      {"1 + (2 * (x + 1)", 4, "not closed"},
      {"sin(x", 3, "not closed"},
      {"x)", 1, "unexpected ')'"},
      {")x(", 0, "unexpected ')'"},
      {"x(1)", 1, "unexpected '('"},
      {"pi(x)", 2, "unexpected '('"},
      {"()", 1, "unexpected ')'"},
      {"x +", 3, "not complete"},
      {"x ^", 3, "not complete"},
      {"* x", 0, "unexpected operator '*'"},
      {"x * / y", 4, "unexpected operator '/'"},
      {"x ** 2", 2, "unexpected operator '**': a power is written '^'"},
      {"x!", 1, "unexpected operator '!'"},
      {"x y", 2, "without an operator"},
      {"2x", 1, "without an operator"},
      {"1 2", 2, "without an operator"},
      {"2 sin(x)", 2, "without an operator"},
      {"1..2", 2, "without an operator"},
      {"0x10", 1, "unknown name"},
      {"1e400", 0, "a number out of range"},
      {"x + 1e", 4, "an incomplete number"},
      {"2e+ * x", 0, "an incomplete number"},
      {"sin(x, y)", 0, "too many arguments for function 'sin'"},
      {"1 + atan2(x)", 4, "too few arguments for function 'atan2'"},
      {"sin()", 0, "too few arguments for function 'sin'"},
      {"min()", 0, "too few arguments for function 'min'"},
      {"if(x, 1)", 0, "too few arguments for function 'if'"},
      {"if(x, 1, 2, 3)", 0, "too many arguments for function 'if'"},
      {"min(x,, y)", 6, "unexpected ','"},
      {"x ? 1", 2, "a '?' without its ':'"},
      {"x : 2", 2, "a ':' without its '?'"},
      {"'a'", 0, "no text"},
      {"\"a\"", 0, "no text"},
      {"x[1]", 1, "unexpected '['"},
      {"{x}", 0, "unexpected '{'"},
      {"a.b", 0, "unknown name 'a'"},
      {"x % 2", 2, "unexpected operator '%': a remainder is written 'mod(a, b)'"},
      {"x & y", 2, "unexpected operator '&': 'and' is written '&&'"},
      {"x | y", 2, "unexpected operator '|': 'or' is written '||'"},
      {"x \\ 2", 2, "unexpected '\\'"},
      {"$(ls)", 0, "unexpected '$'"},
      {"#x", 0, "unexpected '#'"},
      {"1 + \xC3\xA4", 4, "unexpected '\xC3\xA4'"},
  };
  for (const Wrong& wrong : cases) {
    SCOPED_TRACE(wrong.text);
    try {
      Formula(wrong.text, names);
      ADD_FAILURE() << "accepted";
    } catch (const FormulaError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.what), std::string::npos) << error.what();
      EXPECT_EQ(error.position(), wrong.position) << error.what();
    }
  }
}

TEST(FormulasQuick, HaveBoundedLengthAndAnyDepth) {
  EXPECT_THROW(Formula(std::string(Formula::most_bytes + 1, '1'), names), FormulaError);
  EXPECT_THROW(Formula(std::string(10'000'000, '('), names), FormulaError);
  std::string nested(2000, '(');
  nested += "x" + std::string(2000, ')');
  EXPECT_EQ(value(nested), 0.75);
  std::string functions;
  for (int i = 0; i < 500; ++i) functions += "abs(";
  EXPECT_EQ(value(functions + "y" + std::string(500, ')')), 0.25);
  EXPECT_THROW(Formula(std::string(4000, '('), names), FormulaError);
  EXPECT_THROW(Formula(std::string(4000, '-'), names), FormulaError);
}

TEST(FormulasQuick, OfTheInputNameFileAndColumn) {
  const FormulaText formula{"1 + sine(x)", {"a.toml:3:11", "\n  3 | density = \"1 + sine(x)\""}};
  try {
    compile("scenario.fields.density", formula, names);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "a.toml:3:11: scenario.fields.density: column 5 of the formula: unknown function 'sine'; did you "
        "mean 'sin'?\n  3 | density = \"1 + sine(x)\"\n  formula: 1 + sine(x)\n               ^");
  }
  const FormulaText lines{"1 +\r\n\tx + \xC3\xA4 sine(x)\n+ y", {}};
  try {
    compile("scenario.fields.density", lines, names);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "scenario.fields.density: line 2, column 6 of the formula: unexpected '\xC3\xA4'\n"
                 "  formula:  x + \xC3\xA4 sine(x)\n                ^");
  }
  const std::string far = std::string(300, ' ') + "q" + std::string(300, ' ');
  try {
    compile("scenario.fields.density", {far, {}}, names);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_LT(std::string(error.what()).size(), 600u);  // what is near the mistake, not all of it
  }
}

TEST(FormulasQuick, HaveConstantsWithNewNamesOnly) {
  for (const char* taken : {"x", "t", "pi", "gamma", "sin", "if", "2a", "a-b", "", "a b", "\xC3\xA4"})
    EXPECT_THROW(check_new_name(taken, names), FormulaError) << taken;
  for (const char* free : {"a", "_", "u1", "Pi", "sine"})
    EXPECT_NO_THROW(check_new_name(free, names)) << free;
}

FormulaNames with_expressions() {
  FormulaNames known = names;
  known.expressions = {{"s", "(x + u0)^2"}, {"other", "y + t"}, {"ss", "s * s + 1"}, {"two", "gamma + 0.6"}};
  return known;
}

TEST(FormulasQuick, ContainExpressions) {
  const FormulaNames known = with_expressions();
  const double variables[] = {0.75, -0.25, 7, 2}, s = 1.25 * 1.25;
  const struct {
    const char* text;
    double value;
    std::uint32_t used;
  } cases[] = {{"s", s, 1},
               {"ss + x", s * s + 1 + 0.75, 1},
               {"two^2", 4, 0},
               {"ss * y", (s * s + 1) * -0.25, 3},
               {"other - t", -0.25, 10},
               {"(s)^2 + ss", 2 * s * s + 1, 1}};
  for (const auto& one : cases) {
    const Formula formula(one.text, known);
    EXPECT_DOUBLE_EQ(formula.value(variables), one.value) << one.text;
    EXPECT_EQ(formula.used(), one.used) << one.text;
    const double elsewhere[] = {1, 2, 3, 4};
    formula.value(elsewhere);
    EXPECT_DOUBLE_EQ(formula.value(variables), one.value) << one.text << ", again";
  }
  EXPECT_THROW(check_new_name("ss", known), FormulaError);
  try {
    Formula("sss", known);
    ADD_FAILURE();
  } catch (const FormulaError& error) {
    EXPECT_STREQ(error.what(), "unknown name 'sss'; did you mean 'ss'?");
  }
}

TEST(FormulasQuick, OfAListAreEvaluatedByThreadsAtOnce) {
  FormulaList list(names);
  list.add("a", {"x + y", {}});
  list.add("b", {"x * y", {}});
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&, n] {
      for (int i = 0; i < 20000; ++i) {
        const double variables[] = {n + 0.5 * i, 1.0 * i - n, 0, 0};
        wrong[static_cast<std::size_t>(n)] +=
            list.compiled()[0].value(variables) != variables[0] + variables[1] ||
            list.compiled()[1].value(variables) != variables[0] * variables[1];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
  // Another list at the same address is not the same list.
  for (const double factor : {2.0, 3.0}) {
    FormulaList next(names);
    next.add("c", {std::to_string(factor) + " * x", {}});
    const double variables[] = {1, 0, 0, 0};
    EXPECT_EQ(next.compiled()[0].value(variables), factor);
  }
}

}  // namespace
}  // namespace meander::io
