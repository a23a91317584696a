// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// `meander explain` agrees with the reader of input files.
#include "simulation/report/input_reference.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "io/document.hpp"
#include "simulation/config/input_tables.hpp"

namespace meander::simulation {
namespace {

TEST(Explain, EveryKeyIsExplainedWithItsMeaningAndDefault) {
  const InputDescription description;
  for (const InputSection& section : description.sections()) {
    for (const io::Field& field : section.keys.all()) {
      const std::string text = explain(section.table + "." + field.key);
      EXPECT_NE(text.find(section.table + "." + field.key), std::string::npos);
      EXPECT_NE(text.find(field.meaning.substr(0, field.meaning.find(' '))), std::string::npos) << field.key;
      if (!field.required && has_toml_default(field) && field.default_text != "\"\"") {
        EXPECT_NE(text.find("default     " + field.default_text), std::string::npos) << field.key;
      }
      if (!field.unit.empty()) {
        EXPECT_NE(text.find("unit        " + field.unit), std::string::npos) << field.key;
      }
    }
  }
}

TEST(Explain, EveryExampleIsReadWithoutComplaint) {
  InputDescription description;
  for (const InputSection& section : description.sections()) {
    for (const io::Field& field : section.keys.all()) {
      const std::string line = example_line(field);
      // The key is read alone in its table; missing keys are ignored here. Tables within tables are read by others.
      const std::string table = section.is_part ? "part" : section.table;
      io::KeyTable alone(table);
      double number = 0;
      int integer = 0;
      bool flag = false;
      std::string text;
      std::vector<double> numbers;
      std::vector<int> integers;
      std::vector<std::string> texts;
      io::IntegerOrWord mixed = 0;
      io::FormulaText formula;
      io::NamedFormulas formulas;
      io::WordWithFormulas word;
      io::TableList tables;
      switch (field.target.index()) {
        case 0:
          alone.number(field.key, number, field.unit, "", field.range);
          break;
        case 1:
          alone.integer(field.key, integer, field.unit, "", field.range);
          break;
        case 2:
          alone.flag(field.key, flag, "");
          break;
        case 3:
          alone.choice(field.key, text, field.choices, "");
          break;
        case 4:
          alone.numbers(field.key, numbers, field.unit, "", field.range);
          break;
        case 5:
          alone.integers(field.key, integers, field.unit, "", field.range);
          break;
        case 7:
          alone.integer_or_word(field.key, mixed, field.choices, field.unit, "", field.range);
          break;
        case 8:
          alone.formula(field.key, formula, field.unit, "");
          break;
        case 9:
          alone.formulas(field.key, formulas, "");
          break;
        case 10:
          alone.word_with_formulas(field.key, word, field.choices, "");
          break;
        case 11:
          tables.describe_next = std::get<io::TableList*>(field.target)->describe_next;
          alone.tables(field.key, tables, "");
          break;
        default:
          alone.texts(field.key, texts, "", field.choices);
      }
      const auto document = io::Document::from_text(fmt::format("[{}]\n{}\n", table, line), "example.toml");
      EXPECT_NO_THROW(document.bind(alone)) << line;
      EXPECT_TRUE(alone.was_given(field.key)) << line;
    }
  }
}

TEST(Explain, TablesChoicesAndNamesWithoutTheirTable) {
  for (const InputTable& one : input_tables()) {
    const std::string table = one.name;
    EXPECT_NE(explain("").find('[' + table + ']'), std::string::npos) << table;
    EXPECT_EQ(explain(table), explain("[" + table + "]")) << table;
  }
  EXPECT_NE(explain("mesh").find("patch-size"), std::string::npos);
  EXPECT_NE(explain("sedov").find("energy"), std::string::npos);
  const std::string radius = explain("radius");
  EXPECT_NE(radius.find("refinement.radius"), std::string::npos);
  EXPECT_NE(radius.find("scenario.radius"), std::string::npos);
}

TEST(Explain, MisspeltNamesGetTheNearest) {
  const auto refused_key = [](const std::string& name) {
    try {
      return explain(name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(
      refused_key("mesh.patchsize"),
      "meander: the input file has no key 'mesh.patchsize'; did you mean 'mesh.patch-size'? (see meander "
      "explain)");
  EXPECT_EQ(
      refused_key("pach-size"),
      "meander: the input file has no key 'pach-size'; did you mean 'patch-size'? (see meander explain)");
  EXPECT_EQ(refused_key("xylophone"), "meander: the input file has no key 'xylophone' (see meander explain)");
}

}  // namespace
}  // namespace meander::simulation
